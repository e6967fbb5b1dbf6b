package import CampipeKit

/// A recording as the index knows it.
package struct IndexedClip: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// It is being written, or its process was killed and none ran since.
        case open
        case complete
        /// It is on no list: retention never deletes it.
        case unlisted
    }

    /// In this index; another has other numbers.
    package var id: Int64
    /// Absolute.
    package var path: String
    /// Which recording it belongs to, in this index.
    package var list: Int64
    /// What the pipeline calls its camera.
    package var camera: String
    package var state: State
    /// When its first picture was, as well as it is known.
    package var start: WallTime?
    package var length: Duration?
    /// nil while it is open.
    package var bytes: Int?
    package var events: [ClipEvent] = []

    /// When it ends.
    package var end: WallTime? { start.map { $0 + (length ?? .zero) } }
}

/// Which recordings are asked for.
package struct ClipQuery: Hashable, Sendable {
    /// Of one camera.
    package var camera: String?
    /// That reach beyond this.
    package var from: WallTime?
    /// That begin before this.
    package var to: WallTime?
    package var withEvents = false
    /// The newest so many; nil is all.
    package var limit: Int?

    package init(
        camera: String? = nil, from: WallTime? = nil, to: WallTime? = nil, withEvents: Bool = false, limit: Int? = nil
    ) {
        self.camera = camera
        self.from = from
        self.to = to
        self.withEvents = withEvents
        self.limit = limit
    }
}

/// All that a query matches, whatever its limit.
package struct ClipTotals: Hashable, Sendable {
    package var count = 0
    package var bytes = 0
    package var length = Duration.zero
}
