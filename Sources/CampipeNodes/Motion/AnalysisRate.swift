import CampipeKit

/// How many pictures a second are examined: a number, or `all`.
enum AnalysisRate: Hashable, Sendable {
    case all
    case perSecond(Double)

    /// nil is each picture.
    var rate: Double? {
        switch self {
        case .all: nil
        case .perSecond(let rate): rate
        }
    }
}

/// Picks the pictures that are examined, on a grid that late ones do not shift.
struct AnalysisPace: Sendable {
    private let interval: Duration?
    private var due = Instant.distantPast

    init(_ rate: AnalysisRate) { interval = rate.rate.map { .nanoseconds(Int64(1e9 / $0)) } }

    /// Whether the picture is to be examined.
    mutating func takes(_ captured: Instant) -> Bool {
        // A picture that comes a little early counts: cameras jitter, and every second one would be missed.
        guard let interval, captured + interval / 8 >= due else { return interval == nil }
        due = due == .distantPast || captured - due > interval ? captured + interval : due + interval
        return true
    }
}

extension AnalysisRate: OptionValue {
    static var optionType: OptionType { .either([.number, .choice(["all"])]) }
    static var optionPlaceholder: AnalysisRate { .all }
    var optionText: String? { rate.map { $0.optionText ?? "" } ?? "all" }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> AnalysisRate? {
        if case .scalar(let scalar) = value, scalar.text == "all" { return .all }
        guard let number = Double.read(value, at: path, into: &faults) else { return nil }
        guard number >= 0.1, number <= 1000 else {
            faults.append(
                Fault(.outOfRange, at: path, "\(value.kindText) is out of range", fix: "accepted: 0.1…1000, or all"))
            return nil
        }
        return .perSecond(number)
    }
}
