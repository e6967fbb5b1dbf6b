package import CampipeKit

/// Decides which recordings an event belongs to: those that overlap it, with a margin on both sides. A value.
///
/// Events may be told late, of a recording that has ended, and recordings may begin while an event goes on.
package struct EventMarks: Sendable {
    /// What is to be written down of one recording. The same again knows an end that was not known before.
    package struct Mark: Hashable, Sendable {
        package var path: String
        package var event: ClipEvent
    }

    private struct Clip {
        var path: String
        var begun: Instant
        var ended: Instant?
    }

    private struct Happening {
        var id: String
        var event: ClipEvent
        var begun: Instant
        var ended: Instant?
        /// The clips that it was written down of.
        var paths: Set<String> = []
    }

    private let before: Duration
    private let after: Duration
    private var clips: [Clip] = []
    private var happenings: [Happening] = []
    /// How many recordings and events are remembered.
    private static let limit = 64

    /// - Parameters:
    ///   - before: So long before an event belongs to it.
    ///   - after: So long after it too.
    package init(before: Duration, after: Duration) {
        self.before = before
        self.after = after
    }

    /// A recording begins.
    package mutating func began(_ path: String, at instant: Instant) -> [Mark] {
        clips.append(Clip(path: path, begun: instant))
        if clips.count > Self.limit { clips.removeFirst() }
        happenings.removeAll { $0.ended.map { instant > $0 + after } ?? false }
        return marks()
    }

    /// The recording at hand ended.
    package mutating func ended(at instant: Instant) {
        guard let last = clips.indices.last, clips[last].ended == nil else { return }
        clips[last].ended = instant
    }

    /// Something began, ended or happened; one that is said again is known already.
    ///
    /// - Parameters:
    ///   - id: The same for its beginning, its repeats and its end.
    ///   - instant: When, on the pipeline's line.
    ///   - time: The same in the world's time.
    package mutating func take(
        _ kind: EventKind, id: String, node: String, phase: Event.Phase, at instant: Instant, time: WallTime
    ) -> [Mark] {
        let known = happenings.lastIndex { $0.id == id && $0.ended == nil }
        switch phase {
        case .began where known != nil: return []
        case .ended where known == nil: return []
        case .ended:
            guard let known else { return [] }
            // By the beginning: the clock may have been set meanwhile.
            let length = max(.zero, instant - happenings[known].begun)
            happenings[known].ended = happenings[known].begun + length
            happenings[known].event.ended = happenings[known].event.begun + length
            let event = happenings[known].event
            let again = happenings[known].paths.sorted().map { Mark(path: $0, event: event) }
            return again + marks()
        case .began, .happened:
            let isOver = phase == .happened
            happenings.append(
                Happening(
                    id: id,
                    event: ClipEvent(kind: kind.rawValue, node: node, begun: time, ended: isOver ? time : nil),
                    begun: instant, ended: isOver ? instant : nil))
            if happenings.count > Self.limit { happenings.removeFirst() }
            return marks()
        }
    }

    /// What was not written down yet.
    private mutating func marks() -> [Mark] {
        var marks: [Mark] = []
        for index in happenings.indices {
            let happening = happenings[index]
            let from = happening.begun - before
            for clip in clips where !happening.paths.contains(clip.path) {
                // What goes on reaches as far as the newest recording does.
                if let ended = clip.ended, ended < from { continue }
                if let end = happening.ended, clip.begun > end + after { continue }
                happenings[index].paths.insert(clip.path)
                marks.append(Mark(path: clip.path, event: happening.event))
            }
        }
        return marks
    }
}
