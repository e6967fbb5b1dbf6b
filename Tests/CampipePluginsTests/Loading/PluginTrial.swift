import CampipeKit
import CampipePlugins

/// What a plugin must be able to do in a host, whichever of them is optimized.
///
/// Compiled by `scripts/check-release` too, so it uses neither the test library nor what is internal.
struct PluginTrial {
    /// What was wrong; empty when all is well.
    private(set) var wrongs: [String] = []

    /// The lesson's plugin is checked, works, conforms and copies no pixel.
    static func threshold(_ plugin: PluginLibrary) throws -> [String] {
        var trial = PluginTrial()
        guard let registration = plugin.registrations.first else { return trial.wrongs + ["no node"] }
        trial.expect(registration.descriptor.name == "threshold", "name")
        trial.expect(registration.descriptor.options.map(\.range) == ["0…255"], "range of the option")
        trial.expect(registration.inspect(["level": "256"]).faults.map(\.code) == [.outOfRange], "fault")

        let pool = FramePool()
        let harness = try NodeHarness(registration, options: ["level": "99"])
        try harness.push(Pictures.frame(1, level: 100, pool: pool))
        try harness.push(Pictures.frame(2, level: 99, pool: pool))
        try harness.end()
        trial.expect(harness.frames.map(\.level) == [255, 0], "levels \(harness.frames.map(\.level))")
        trial.expect(pool.copies == 0, "\(pool.copies) copies of pixels")

        let report = ConformanceSuite.check(registration)
        trial.expect(report.isConforming && report.outcome(.copiesNoPixel) == .passed, "\(report)")
        return trial.wrongs
    }

    /// Casts, services and typed errors are right on both sides of the border.
    static func border(_ plugin: PluginLibrary) throws -> [String] {
        var trial = PluginTrial()
        guard let registration = plugin.registrations.first else { return ["no node"] }
        let diary = Lock<[String]>([])
        var services = Services()
        services.add(diary)

        let passing = try NodeHarness(registration, services: services)
        let lines = diary.withLock { $0 }
        trial.expect(lines == ["caught configuration", "cast an event"], "in the plugin: \(lines)")
        try passing.push(Pictures.frame(5))
        trial.expect(passing.frames.map(\.captured) == [Pictures.at(5)], "the frame")
        trial.expect(passing.items(Event.self, on: "events").map(\.kind) == ["crossed"], "the event")

        let failing = try NodeHarness(registration, options: ["act": "fail"], services: services)
        do {
            try failing.push(Pictures.frame(5))
            trial.expect(false, "nothing was thrown")
        } catch let error as CampipeError {
            trial.expect(
                error.kind == .badData && error.message == "cannot cross" && error.cause != nil, "caught \(error)")
        } catch {
            trial.expect(false, "the SDK's error was caught as \(type(of: error))")
        }

        let own = try NodeHarness(registration, options: ["act": "own"], services: services)
        do {
            try own.push(Pictures.frame(5))
            trial.expect(false, "nothing was thrown")
        } catch is CampipeError {
            trial.expect(false, "a plugin's own error was caught as the SDK's")
        } catch {
            trial.expect("\(error)" == "OwnError()", "caught \(error)")
        }
        return trial.wrongs
    }

    private mutating func expect(_ isRight: Bool, _ what: String) { if !isRight { wrongs.append(what) } }
}
