import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Overlays as pictures")
struct OverlayGoldenTests {
    @Test(
        "text, boxes, zones, labels and an image look as they were once seen to",
        arguments: [(Size(320, 180), "overlay-320"), (Size(1920, 1080), "overlay-1080")])
    func everything(_ size: Size, _ name: String) throws {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        let harness = try NodeHarness(
            Registration(join: Overlay.self),
            options: [
                "text": "{source}  Größe 12:34:56\n{event.class} {watch.score}", "background": "black",
                "draw": ["boxes", "zones", "label"], "box_color": "yellow",
                "image": .plain(folder.appendingPathComponent("overlay/logo.png").path), "image_size": "20%",
                "image_opacity": "90%",
            ], id: "front")
        let event = Event(
            .motionStarted, id: "1", phase: .began, captured: .zero, node: "watch",
            payload: [
                "score": 0.87, "class": "person",
                "boxes": .list([Region(x: 0.4, y: 0.3, width: 0.15, height: 0.4).value]),
                "zones": Polygons(list: [
                    [.init(x: 0.1, y: 0.2), .init(x: 0.9, y: 0.1), .init(x: 0.8, y: 0.8), .init(x: 0.2, y: 0.7)]
                ]).eventValue,
            ])
        let scene = DemoScene(.bars, size: size)
        try harness.push(scene.frame(at: .zero, captured: .zero, pool: .shared), sides: ["events": [event]])
        let frame = try #require(harness.frames.first)
        #expect(try GoldenPicture.likeness(frame, name) > 34)
    }

    @Test("letters with an edge and no background", arguments: [(Size(320, 180), "edge-320")])
    func edge(_ size: Size, _ name: String) throws {
        let harness = try NodeHarness(
            Registration(join: Overlay.self),
            options: ["text": "2026-11-30 12:34:56", "outline": "blue", "position": "top"], id: "front")
        try harness.push(Pictures.frame(.yuv420, size))
        #expect(try GoldenPicture.likeness(try #require(harness.frames.first), name) > 34)
    }
}
