import CampipeKit

/// Which pictures of a stream somebody may begin at. A value without clock.
///
/// That is a keyframe, as long as the stream has any. Encoders that refresh a part of each picture send none, or a single
/// one at their own start; some mark where that begins, some send whole pictures that are not marked, and some neither.
/// So after a while the next best is taken. A marked refresh stands for keyframes that stay away; of what is not marked
/// nothing weaker counts than what was seen, since keyframes may be far apart.
package struct StartPoints: Sendable {
    /// What is begun at, from the surest on.
    package enum Kind: Int, Sendable {
        case keyframe
        /// Pictures are right some time after it.
        case recovery
        /// A picture that refers to no other; those behind it might refer past it.
        case intra
        /// Any: pictures get right as they are refreshed, if they do.
        case any

        /// How long something better is waited for.
        var patience: Duration {
            switch self {
            case .keyframe: .zero
            case .recovery: .seconds(2)
            case .intra: .seconds(4)
            case .any: .seconds(10)
            }
        }
    }

    private var since: Instant?
    private var lastKeyframe: Instant?
    /// The surest that was seen.
    private var best = Kind.any
    private var last: Instant?
    /// The weakest that was begun at; nil while there were keyframes only.
    private(set) var weakest: Kind?

    /// - Returns: What the picture is to who begins at it; nil if that may not be.
    mutating func look(_ unit: AccessUnitKind, at now: Instant) -> Kind? {
        let began = since ?? now
        since = began
        let kind: Kind =
            unit.isKey ? .keyframe : unit.canRecover ? .recovery : unit.isIntra ? .intra : .any
        if kind == .any, unit.isDisposable || unit.isLeading { return nil }
        guard kind.rawValue <= best.rawValue || kind == .recovery else { return nil }
        if kind.rawValue < best.rawValue { best = kind }
        if kind == .keyframe {
            (weakest, lastKeyframe) = (nil, now)
            return kind
        }
        guard now - (lastKeyframe ?? began) >= kind.patience else { return nil }
        // Each picture is one of those.
        if kind == .any, let last, now - last < kind.patience { return nil }
        last = now
        weakest = kind
        return kind
    }
}
