import CampipeKit
import CampipeMedia

/// The camera for who has none: a generated scene as JPEGs, as a real one would send it.
///
/// `demo://porch?width=1280&height=720&fps=15`; what is left out is as here.
struct DemoSource: Source {
    static let name = "demo"
    static let summary = "Generates the pictures of a camera."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    @Option("The scene, as demo://porch.") var url = "demo://porch"

    private var scene: DemoScene?
    private var encoder: JPEGEncoder?
    private var schedule = PatternSchedule(start: .zero, fps: 1)
    private var clock: (any PipelineClock)?
    private var pool = FramePool.shared
    private var rate = 15.0

    var format: Format? { .packets(PacketFormat(.jpeg, size: (try? DemoAddress(url))?.size)) }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        faults += DemoAddress.faults(in: url).map {
            Fault(.invalidValue, at: path.key("url"), $0.message, fix: $0.fix ?? "write demo://porch")
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        let address = try DemoAddress(url)
        scene = DemoScene(address.scene, size: address.size)
        encoder = JPEGEncoder()
        clock = context.clock
        pool = context.pool
        rate = address.fps
        schedule = PatternSchedule(start: context.clock.now, fps: address.fps)
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let scene, let encoder, let clock else { return .ended }
        switch schedule.take(now: clock.now, to: &output) {
        case .rest(let next): return next
        case .picture(let number):
            let captured = schedule.due(number)
            let frame = scene.frame(at: schedule.offset(number), rate: rate, captured: captured, pool: pool)
            let jpeg = try encoder.encode(frame, quality: 85, pool: pool)
            output.emit(
                Packet(
                    jpeg, format: PacketFormat(.jpeg, size: scene.size, rate: rate), captured: captured,
                    pts: MediaTime(captured - .zero)))
            return .more
        }
    }

    mutating func finish() throws {
        scene = nil
        encoder = nil
    }
}
