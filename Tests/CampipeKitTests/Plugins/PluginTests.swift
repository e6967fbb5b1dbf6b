import CampipeKit
import Foundation
import Testing

/// In a debug host; `scripts/check-release` does the same in a release host.
@Suite("Plugins outside the tree")
struct PluginTests {
    @Test("the lesson's plugin loads, is checked, conforms and copies no pixel", arguments: ["-Onone", "-O"])
    func threshold(optimize: String) throws {
        #expect(try PluginTrial.threshold(.built(nil, optimize)) == [])
    }

    @Test("casts, services and typed errors are right on both sides of the border", arguments: ["-Onone", "-O"])
    func border(optimize: String) throws {
        #expect(try PluginTrial.border(.built(LoadedPlugin.border, optimize)) == [])
    }

    @Test("a plugin of another ABI is refused before anything of it is called")
    func otherABI() throws {
        let error = #expect(throws: CampipeError.self) {
            try LoadedPlugin.built(nil, "-Onone", environment: ["CAMPIPE_PLUGIN_ABI": "999"])
        }
        #expect(error?.message == "the plugin is of ABI 999, the host of 1")
    }
}
