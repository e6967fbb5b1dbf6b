/// Checks a type of node against the MUSTs of docs/node-contract.md.
///
///     let report = ConformanceSuite.check(Registration(transform: Threshold.self))
///     #expect(report.isConforming, "\(report)")
///
/// It drives many instances through `NodeHarness`, on the calling thread, with a manual clock; only how long stopping
/// takes is told by the host's clock.
public struct ConformanceSuite: Sendable {
    let registration: Registration
    let options: Value.ValueMap
    let services: Services
    let inputs: ConformanceInputs
    let secret: String
    let deadline: Duration
    let longRun: Int

    /// Checks a type.
    ///
    /// - Parameters:
    ///   - options: Options that it works with, such as those that must be given.
    ///   - services: What `context.service` finds.
    ///   - inputs: Where packets come from.
    ///   - secret: Text that stands in `options` wherever a secret may, such as in a URL; put into secret options too.
    ///   - deadline: What draining and finishing may take.
    ///   - longRun: How many items the search for leaks feeds, or has a source make.
    ///   - exempt: Rules that do not apply to this type, each with the reason.
    public static func check(
        _ registration: Registration, options: Value.ValueMap = [:], services: Services = Services(),
        inputs: ConformanceInputs = ConformanceInputs(), secret: String = "pl4nted-secret",
        deadline: Duration = .seconds(1), longRun: Int = 10_000, exempt: [ContractRule: String] = [:]
    ) -> ConformanceReport {
        let suite = ConformanceSuite(
            registration: registration, options: options, services: services, inputs: inputs, secret: secret,
            deadline: deadline, longRun: longRun)
        var seen = 0
        let results = ContractRule.allCases.map { rule in
            ConformanceReport.Result(
                rule: rule, outcome: exempt[rule].map { .skipped($0) } ?? suite.check(rule, seen: &seen))
        }
        return ConformanceReport(node: registration.descriptor.name, results: results, longRun: seen)
    }

    typealias Outcome = ConformanceReport.Outcome

    var descriptor: NodeDescriptor { registration.descriptor }
    var turnsItems: Bool { descriptor.contract == .transform || descriptor.contract == .join }

    private func check(_ rule: ContractRule, seen: inout Int) -> Outcome {
        switch rule {
        case .describesItself: describesItself()
        case .refusesBadOptions: refusesBadOptions()
        case .isMadeWithoutEffects: isMadeWithoutEffects()
        case .finishesWhatItOpened: finishesWhatItOpened()
        case .ordersTimes: ordersTimes()
        case .emitsItsFormat: emitsItsFormat()
        case .repeatsItself: repeatsItself()
        case .boundsRetention: boundsRetention()
        case .trailsItsWatermark: trailsItsWatermark()
        case .copiesNoPixel: copiesNoPixel()
        case .takesGaps: takesGaps()
        case .survivesLoss: survivesLoss()
        case .endsAnywhere: endsAnywhere()
        case .changesFormat: changesFormat()
        case .stopsInTime: stopsInTime()
        case .leaksNothing: leaksNothing(seen: &seen)
        case .keepsSecrets: keepsSecrets()
        }
    }

    /// Runs a plan once for each format that the node accepts and items can be made of.
    ///
    /// - Parameters:
    ///   - others: How many items there are of each format but the first; nil is as many.
    ///   - judge: What is wrong with a run; nil when nothing is.
    func runs(
        _ plan: ConformanceRun.Plan = .init(), others: Int? = nil, options: Value.ValueMap? = nil,
        _ judge: (ConformanceRun, Format?) -> String?
    ) -> Outcome {
        let formats: [Format?] = descriptor.mainInput.map { inputs.formats(of: $0) } ?? [nil]
        var ran = 0
        for (index, format) in formats.enumerated() {
            var plan = plan
            plan.format = format
            if index > 0, let others { plan.count = others }
            guard let run = ConformanceRun(self, plan, options: options) else { continue }
            ran += 1
            let place = format.map { "\($0): " } ?? ""
            if let failure = run.failure, failure.hasPrefix("open: ") {
                return .skipped("it does not open: \(failure.dropFirst(6))")
            }
            if let wrong = judge(run, format) { return .failed(place + wrong) }
        }
        return ran > 0
            ? .passed : .skipped("no input can be made of \(descriptor.mainInput?.formats.map(\.description) ?? [])")
    }
}
