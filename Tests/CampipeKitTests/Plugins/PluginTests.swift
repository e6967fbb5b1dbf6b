import CampipeKit
import Foundation
import Testing

@Suite("Plugins outside the tree")
struct PluginTests {
    @Test("the lesson's plugin loads, is checked, conforms and copies no pixel", arguments: ["-Onone", "-O"])
    func threshold(optimize: String) throws {
        let plugin = try LoadedPlugin(LoadedPlugin.build(nil, optimize))
        #expect(plugin.abi == 1 && plugin.compiler.contains("Swift version") && plugin.sdk.count == 64)
        let registration = try #require(plugin.registrations.first)
        #expect(registration.descriptor.name == "threshold")
        #expect(registration.descriptor.options.map(\.range) == ["0…255"])
        #expect(registration.inspect(["level": "256"]).faults.map(\.code) == [.outOfRange])

        let pool = FramePool()
        let harness = try NodeHarness(registration, options: ["level": "99"])
        try harness.push(Pictures.frame(1, level: 100, pool: pool))
        try harness.push(Pictures.frame(2, level: 99, pool: pool))
        try harness.end()
        #expect(harness.frames.map(\.level) == [255, 0] && pool.copies == 0)

        let report = ConformanceSuite.check(registration, longRun: 10_000)
        #expect(report.isConforming, "\(report)")
    }

    @Test("casts, services and typed errors are right on both sides of the border", arguments: ["-Onone", "-O"])
    func border(optimize: String) throws {
        let plugin = try LoadedPlugin(LoadedPlugin.build(LoadedPlugin.border, optimize))
        let registration = try #require(plugin.registrations.first)
        let diary = Lock<[String]>([])
        var services = Services()
        services.add(diary)

        let passing = try NodeHarness(registration, services: services)
        #expect(diary.withLock { $0 } == ["caught configuration", "cast an event"])
        try passing.push(Pictures.frame(5))
        #expect(passing.frames.map(\.captured) == [Pictures.at(5)])
        #expect(passing.items(Event.self, on: "events").map(\.kind) == ["crossed"])

        let failing = try NodeHarness(registration, options: ["act": "fail"], services: services)
        let error = #expect(throws: CampipeError.self) { try failing.push(Pictures.frame(5)) }
        #expect(error?.kind == .badData && error?.message == "cannot cross" && error?.cause != nil)

        let own = try NodeHarness(registration, options: ["act": "own"], services: services)
        do {
            try own.push(Pictures.frame(5))
            Issue.record("nothing was thrown")
        } catch is CampipeError {
            Issue.record("a plugin's own error is not the SDK's")
        } catch {
            #expect("\(error)" == "OwnError()")
        }
    }

    @Test("a plugin of another ABI is refused before anything of it is called")
    func otherABI() throws {
        let library = try LoadedPlugin.build(nil, "-Onone", environment: ["CAMPIPE_PLUGIN_ABI": "999"])
        let error = #expect(throws: CampipeError.self) { try LoadedPlugin(library) }
        #expect(error?.message == "the plugin is of ABI 999, the host of 1")
    }
}
