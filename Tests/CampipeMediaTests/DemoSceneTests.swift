import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Demo scenes")
struct DemoSceneTests {
    static let porch = DemoScene(.porch, size: Size(320, 180))
    let pool = FramePool()

    private func luma(_ scene: DemoScene, _ seconds: Double) -> [UInt8] {
        FrameCompare.rows(scene.frame(at: .seconds(seconds), captured: .zero, pool: pool), 0)
    }

    @Test(
        "the same scene, seed and time give the same bytes; another seed or time others",
        arguments: DemoScene.Kind.allCases)
    func deterministic(_ kind: DemoScene.Kind) {
        let (scene, same) = (DemoScene(kind, size: Size(161, 91)), DemoScene(kind, size: Size(161, 91)))
        #expect(luma(scene, 3) == luma(same, 3))
        if kind == .porch || kind == .noise {
            #expect(luma(scene, 3) != luma(scene, 3.1))
            #expect(luma(scene, 3) != luma(DemoScene(kind, size: Size(161, 91), seed: 2), 3))
        }
        if kind == .still || kind == .gray { #expect(luma(scene, 3) == luma(scene, 42)) }
        if kind == .bars { #expect(luma(scene, 3) != luma(scene, 3.1)) }
    }

    @Test("a person of a person's size comes within the first seconds and goes again")
    func walker() {
        func changed(_ seconds: Double) -> Int {
            zip(luma(Self.porch, seconds), luma(Self.porch, 0)).count { abs(Int($0) - Int($1)) > 25 }
        }
        let pixels = 320 * 180
        #expect(
            (0..<15).allSatisfy { changed(Double($0) / 10) < pixels / 500 }, "noise and the clock alone change little")
        #expect(changed(4.5) > pixels / 60, "a person does not")
        #expect(changed(4.5) < pixels / 6)
        #expect(changed(9) < pixels / 500)
        #expect(!DemoScene.someoneIsThere(at: .seconds(1.4)) && DemoScene.someoneIsThere(at: .seconds(1.6)))
        #expect(DemoScene.someoneIsThere(at: .seconds(27)) && !DemoScene.someoneIsThere(at: .seconds(28)))
    }

    @Test("the lamp goes off while nobody is there, and on again")
    func lamp() {
        func mean(_ seconds: Double) -> Int { luma(Self.porch, seconds).reduce(0) { $0 + Int($1) } / (320 * 180) }
        #expect(mean(31) > mean(33) + 10)
        #expect(abs(mean(31) - mean(39)) <= 1)
        for tenth in 0..<600 {
            let time = Duration.milliseconds(tenth * 100)
            #expect(DemoScene.lampIsOn(at: time) || !DemoScene.someoneIsThere(at: time))
        }
    }

    @Test(
        "any size is painted, the smallest too", arguments: DemoScene.Kind.allCases,
        [Size(1, 1), Size(2, 3), Size(33, 17), Size(90, 160), Size(400, 30)])
    func sizes(_ kind: DemoScene.Kind, _ size: Size) {
        let scene = DemoScene(kind, size: size)
        for second in [0.0, 3, 5, 35] { #expect(luma(scene, second).count == size.pixels) }
    }

    @Test("the whole frame is painted, whatever the pool held before", arguments: DemoScene.Kind.allCases)
    func whole(_ kind: DemoScene.Kind) {
        let scene = DemoScene(kind, size: Size(61, 35))
        let clean = scene.frame(at: .seconds(4), captured: .zero, pool: FramePool())
        _ = Made.frame(.yuv420, Size(61, 35), pool: pool) { _, _, _ in 0xAB }
        let reused = scene.frame(at: .seconds(4), captured: .zero, pool: pool)
        for plane in 0..<3 { #expect(FrameCompare.rows(clean, plane) == FrameCompare.rows(reused, plane)) }
    }

    @Test("a frame has its time and its rate")
    func times() {
        let frame = Self.porch.frame(at: .milliseconds(400), rate: 15, captured: Instant(nanoseconds: 9), pool: pool)
        #expect(frame.pts.duration == .milliseconds(400))
        #expect(frame.captured.nanoseconds == 9 && frame.format.rate == 15 && frame.origin == nil)
    }
}
