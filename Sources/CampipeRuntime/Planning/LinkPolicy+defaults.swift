import CampipeKit

extension LinkPolicy {
    /// Live sound: old packets go, since each plays alone, but one at a time would be silence.
    private static let audio = LinkPolicy(.dropOldest, maxItems: 4096, maxAge: .seconds(1))

    /// The policy of a link when the file says nothing.
    ///
    /// - Parameters:
    ///   - format: What it carries; packets of a coding that is not known yet count as inter-coded.
    ///   - isLive: Whether any source that feeds it is live.
    ///   - taste: What its consumer would rather lose, or who is behind it.
    init(for format: Format, isLive: Bool, taste: Taste) {
        guard isLive else {
            self = .block
            return
        }
        self =
            switch format {
            case .events: .events
            // What waits to be encoded for a recording is part of it.
            case .frames: taste == .complete ? .record : .latest
            case .packets(let packets) where !packets.isIntraCoded: taste == .complete ? .recordGOP : .gop
            case .packets where taste == .complete: .record
            case .packets(let packets): packets.isAudio ? .audio : .latest
            }
    }

    /// This policy with what the file says of the link; another `when_full` brings its own usual limits.
    func with(_ options: LinkOptions, taste: Taste) -> LinkPolicy {
        var policy = self
        if let whenFull = options.whenFull, whenFull != policy.whenFull {
            policy =
                switch whenFull {
                case .block: .block
                case .latest: .latest
                case .dropOldest: LinkPolicy(.dropOldest, maxItems: 32)
                case .dropNewest: taste == .complete ? .record : LinkPolicy(.dropNewest, maxItems: 32)
                case .dropGOP: taste == .complete ? .recordGOP : .gop
                }
        }
        policy.maxItems = options.maxItems ?? policy.maxItems
        policy.maxBytes = options.maxBytes ?? policy.maxBytes
        policy.maxAge = options.maxAge ?? policy.maxAge
        return policy
    }
}
