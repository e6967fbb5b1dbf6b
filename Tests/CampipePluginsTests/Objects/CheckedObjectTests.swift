import CampipeKit
import Foundation
import Testing

@testable import CampipePlugins

/// Nothing of the files is run here.
@Suite("A plugin's file, looked at from outside")
struct CheckedObjectTests {
    private let workshop: Workshop
    private let host: HostIdentity

    init() throws {
        workshop = try Workshop()
        host = try Workshop.host
    }

    private let entry = "void *campipe_plugin_contents(void) { return 0; }\n"

    private func refusal(of path: String) -> PluginRefusal? {
        do throws(CheckedObject.Failure) {
            _ = try CheckedObject(path, host: host)
            return nil
        } catch { return error.refusal }
    }

    @Test("one that fits is taken, and says its types")
    func fits() throws {
        let types = [PluginHandshake.NodeType(.sink, "notify")]
        let path = try workshop.object("good", entry, handshake: try .fitting(types: types))
        #expect(refusal(of: path) == nil)
        #expect(try CheckedObject.checking(path, host: host).handshake.types == types)
    }

    @Test("what is no plugin is refused by name, with what would be one")
    func noPlugin() throws {
        let missing = workshop.path("none.so")
        #expect(
            refusal(of: missing)?.text
                == "\(missing) cannot be read: no such file or directory; campipe plugin build DIR makes it")
        let text = try workshop.write("version: 1\n", to: "text.so")
        #expect(
            refusal(of: text)?.text
                == "\(text) is no plugin, not even a shared object; name what campipe plugin build DIR makes: DIR/build/NAME.so"
        )
        let other = try workshop.object("other", entry)
        #expect(
            refusal(of: other)?.text
                == "\(other) is a shared object, but no plugin: it has no campipe_plugin_handshake; if it is to be one, build its sources: campipe plugin build DIR"
        )
    }

    @Test("a mismatch names both sides and the command that mends it")
    func mismatch() throws {
        let folder = workshop.path("night")
        func object(_ handshake: PluginHandshake) throws -> String {
            let made = try workshop.object("made", entry, handshake: handshake)
            try FileManager.default.createDirectory(atPath: "\(folder)/build", withIntermediateDirectories: true)
            try? FileManager.default.removeItem(atPath: "\(folder)/build/Night.so")
            try FileManager.default.moveItem(atPath: made, toPath: "\(folder)/build/Night.so")
            return "\(folder)/build/Night.so"
        }
        let mend = "build it again: campipe plugin build \(folder)"
        let abi = try object(try .fitting(abi: 999))
        #expect(refusal(of: abi)?.text == "\(abi) is of plugin ABI 999, and this campipe of 2; \(mend)")
        let compiler = try object(try .fitting(compiler: "Swift version 5.9"))
        #expect(
            refusal(of: compiler)?.text
                == "\(compiler) was built by Swift version 5.9, and this campipe by \(host.compiler); \(mend)")
        let sdk = try object(try .fitting(sdk: String(repeating: "0", count: 64)))
        #expect(
            refusal(of: sdk)?.text
                == "\(sdk) was built for another campipe: for the SDK 000000000000, and this one has \(host.sdk.prefix(12)); \(mend)"
        )
    }

    @Test("one that brings the SDK or Swift's runtime with it is refused")
    func ownCopies() throws {
        let sdk = try workshop.object(
            "sdk", entry + "int copy __asm__(\"$s10CampipeKit14PluginContentsCMn\") = 1;", handshake: try .fitting())
        #expect(refusal(of: sdk)?.sentence.hasPrefix("\(sdk) brings its own copy of the SDK, where it must") == true)
        let runtime = try workshop.object("runtime", entry + "void swift_retain(void) {}", handshake: try .fitting())
        #expect(refusal(of: runtime)?.sentence.hasPrefix("\(runtime) brings its own copy of Swift's runtime") == true)
    }

    @Test("one without the function that hands over its types is refused, and its types are known")
    func noEntry() throws {
        let path = try workshop.object("empty", handshake: try .fitting(types: [.init(.sink, "notify")]))
        let failure = #expect(throws: CheckedObject.Failure.self) { try CheckedObject(path, host: host) }
        #expect(failure?.refusal.sentence == "\(path) hands over no types: it has no function campipe_plugin_contents")
        #expect(failure?.types == [.init(.sink, "notify")])
    }

    @Test("one of another machine is refused")
    func machine() throws {
        let path = try workshop.object("machine", entry, handshake: try .fitting())
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes[18] = 8
        try Data(bytes).write(to: URL(filePath: path))
        #expect(refusal(of: path)?.sentence.hasPrefix("\(path) is for machine 8, and this campipe for ") == true)
    }

    @Test("a file that is cut anywhere, or has any byte changed, is read to an end")
    func broken() throws {
        let path = try workshop.object("whole", entry, handshake: try .fitting())
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        for count in stride(from: 0, to: bytes.count, by: 97) { _ = try? SharedObject(Array(bytes[..<count])) }
        var random = SystemRandomNumberGenerator()
        // The headers of the file, of its segments and of its sections say where all else is.
        let headers = Array(0..<700) + Array(max(0, bytes.count - 2500)..<bytes.count)
        for _ in 0..<3000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[headers[Int(random.next(upperBound: UInt(headers.count)))]] = .random(
                    in: 0...255, using: &random)
            }
            _ = try? SharedObject(changed)
        }
    }
}
