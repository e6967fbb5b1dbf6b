import CampipeHTTP
import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

/// A built-in type with the options that it must be given.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    var registration: Registration
    var options: Value.ValueMap = [:]
    /// Rules that do not apply, with the reason.
    var exempt: [ContractRule: String] = [:]

    var testDescription: String {
        let descriptor = registration.descriptor
        let kinds = (descriptor.inputs.prefix(1) + descriptor.outputs.prefix(1)).map(\.kind.rawValue)
        return "\(descriptor.contract) \(descriptor.name) \(kinds.joined(separator: " to "))"
    }

    /// Every registration there is; one without options here is checked with none.
    static let all: [ConformanceCase] = BuiltInNodes.registry.registrations.map { registration in
        var result = ConformanceCase(registration: registration)
        switch (registration.descriptor.name, registration.descriptor.contract) {
        case ("mask", _): result.options["zones"] = [["0", "0"], ["0.5", "0"], ["0.5", "0.5"]]
        case ("http", _): result.options["path"] = "/front"
        case ("file", .sink): result.options["path"] = .text(clip)
        case ("file", .source): result.options["path"] = .text(pictures)
        case ("mjpeg", _): result.options["url"] = .text(http)
        case ("test_pattern", _):
            result.options = ["width": "32", "height": "32", "speed": "max", "count": "50"]
            if registration.descriptor.outputs.first?.kind == .packet { result.options["kind"] = "empty" }
        case ("camera", _):
            switch registration.descriptor.execution {
            case .ownThread: result.options["url"] = .text("file:\(pictures)")
            case .pool:
                let isHTTP = registration.inspect(["url": .text(http)]).applies
                result.options["url"] = isHTTP ? .text(http) : "demo://gray?width=32&height=32&fps=25"
            }
        default: break
        }
        if result.options["url"] == .text(http) {
            result.exempt[.repeatsItself] = "what a turn finds depends on what the network has brought by then"
        }
        return result
    }

    /// The name of a clip in the test's own folder.
    static let clip = "%f.mjpeg"

    /// Where the test puts the address of its own camera.
    static let http = "http://u:pl4nted-secret@camera/video"

    /// A file of JPEGs that the test bundle holds.
    static var pictures: String {
        Bundle.module.url(forResource: "Fixtures", withExtension: nil)?.appendingPathComponent("motion/static.mjpeg")
            .path ?? ""
    }
}

@Suite("The node contract")
struct ConformanceTests {
    /// JPEGs and H.264 of the sizes that the suite asks for.
    private static let packets = ConformanceInputs { format, size, number in
        let frame = Pictures.frame(.yuv420, size) { plane, x, y in plane == 0 ? UInt8((x + y + number) % 200) : 128 }
        switch format.coding {
        case .jpeg:
            return (try? JPEGEncoder().encode(frame, quality: 70, pool: .shared)).map { ($0, true) }
        case .h264:
            // One group each: a packet alone is a keyframe.
            guard let encoder = try? VideoEncoder(frame.format),
                let packet = try? encoder.encode(frame, pool: .shared).first
            else { return nil }
            let head = encoder.format.parameterSets?.array ?? []
            return (Bytes(head + packet.data.array), true)
        default: return nil
        }
    }

    @Test("every built-in node keeps the node contract", arguments: ConformanceCase.all)
    func contract(_ node: ConformanceCase) throws {
        let clock = ManualClock()
        let server = try HTTPServer(clock: clock)
        let address = try server.listen(on: ListenAddress("127.0.0.1:0"))
        // One JPEG an answer: such a camera never ends its stream, however long the network takes.
        let picture = Bytes(try #require(Fixture.jpegs("motion/static.mjpeg").first))
        try server.register("/video") { _, _ in .complete(.jpeg(picture)) }
        var options = node.options
        let folder = try TemporaryFolder()
        if options["path"] == .text(ConformanceCase.clip) {
            options["path"] = .text("\(folder.path)/\(ConformanceCase.clip)")
        }
        if options["url"] == .text(ConformanceCase.http) {
            options["url"] = .text("http://u:pl4nted-secret@127.0.0.1:\(address.port)/video")
        }
        let fetcher = try HTTPFetcher()
        defer {
            fetcher.stop()
            server.stop()
            withExtendedLifetime(folder) {}
        }
        var services = Services()
        services.add(try WebStreams(server: server))
        services.add(fetcher)
        services.add(LineWriter { _ in .written })
        services.add(
            TerminalScreen(
                environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"],
                measure: { TerminalScreen.Size(columns: 40, rows: 12) }, writing: { _ in true }))
        let report = ConformanceSuite.check(
            node.registration, options: options, services: services, inputs: Self.packets, longRun: 2000,
            exempt: node.exempt)
        #expect(report.isConforming, "\(report)")
    }
}
