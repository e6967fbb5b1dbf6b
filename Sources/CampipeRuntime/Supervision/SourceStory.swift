package import CampipeKit

/// Decides how loudly a source's states are said: each cause once, and that it runs again once, until it has run well.
///
/// A camera that is away for a day, or that flaps, would fill the log otherwise. A value.
package struct SourceStory: Sendable {
    /// The states and causes that were said since it last ran well. Some name how long something took, so digits do not
    /// count; there are few of them, or nothing more is said.
    private var said: Set<String> = []
    private static let limit = 16

    package init() {}

    /// The level at which a status is to be said; told of every one that is new.
    package mutating func level(of status: SourceStatus) -> Log.Level {
        let isFirst = said.count < Self.limit && said.insert(key(status)).inserted
        switch status.state {
        case .waiting, .stalled: return isFirst ? .warning : .debug
        default:
            // It has run well: whatever comes next is news.
            if status.retries == 0 { said = [] }
            return isFirst ? .info : .debug
        }
    }

    private func key(_ status: SourceStatus) -> String {
        guard status.state == .waiting || status.state == .stalled else { return status.state.rawValue }
        let digits = (status.reason ?? "").utf8.filter { !(48...57).contains($0) }
        return status.state.rawValue + String(decoding: digits, as: UTF8.self)
    }
}
