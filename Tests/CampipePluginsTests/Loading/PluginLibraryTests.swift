import CampipeKit
import Foundation
import Testing

@testable import CampipePlugins

/// In a debug host; `scripts/check-release` does the same in a release host.
@Suite("Plugins loaded into this process")
struct PluginLibraryTests {
    private static let threshold = Workshop.root.appending(path: "Plugins/Threshold/Sources/Threshold")
    private static let border = Bundle.module.url(forResource: "Fixtures", withExtension: nil)?.appending(
        path: "Border")

    @Test("the lesson's plugin is checked, conforms and copies no pixel", arguments: [true, false])
    func threshold(debug: Bool) throws {
        let workshop = try Workshop()
        let path = try workshop.build(Self.threshold, debug: debug)
        let object = try CheckedObject.checking(path, host: Workshop.host)
        #expect(object.handshake.types == [.init(.transform, "threshold")])
        let library = try PluginLibrary(object)
        #expect(try PluginTrial.threshold(library) == [])
        // What a child says of it is what it is.
        let scanner = PluginScanner(program: Workshop.program, host: try Workshop.host, cache: nil)
        #expect(scanner.scan(path).types == library.registrations.map(\.descriptor))
    }

    @Test("casts, services and typed errors are right on both sides of the border", arguments: [true, false])
    func border(debug: Bool) throws {
        let workshop = try Workshop()
        let path = try workshop.build(try #require(Self.border), debug: debug)
        #expect(try PluginTrial.border(try PluginLibrary(try CheckedObject.checking(path, host: Workshop.host))) == [])
    }
}
