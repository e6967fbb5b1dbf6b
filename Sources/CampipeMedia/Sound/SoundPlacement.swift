package import CampipeKit

/// Puts the sound of a stream on its pictures' line of time. A value without clock.
///
/// Two streams have lines of time of their own, which begin anywhere; `captured` is common to both. So sound is moved by
/// as much as the two lines are apart at the newest keyframe, and stays so moved until they are found further apart for a
/// while: its packets follow one another without holes.
package struct SoundPlacement: Sendable {
    /// How far apart the lines may be found before sound is moved anew.
    private static let tolerance = Duration.milliseconds(40)
    /// How many packets must say so; one that is further off than a second says it alone.
    private static let persistence = 12

    /// How far `captured` of the newest keyframe is from its line of time.
    private var anchor: Duration?
    private var shift: Duration?
    private var misses = 0
    /// Where the sound that was handed on ends.
    private var end: Duration?

    package init() {}

    /// Learns where the pictures' line is.
    package mutating func look(at picture: Packet) {
        guard picture.isKeyframe else { return }
        anchor = picture.captured - (Instant.zero + picture.pts.duration)
    }

    /// The sound at its time on the pictures' line.
    ///
    /// - Returns: nil before the first keyframe, and for what would lie over the sound before.
    package mutating func place(_ sound: Packet) -> Packet? {
        guard let anchor else { return nil }
        let found = sound.captured - (Instant.zero + sound.pts.duration) - anchor
        if let used = shift {
            let off = found > used ? found - used : used - found
            misses = off > Self.tolerance ? misses + 1 : 0
            if misses >= Self.persistence || off > .seconds(1) {
                shift = found
                misses = 0
            }
        } else {
            shift = found
        }
        var placed = sound
        placed.pts = sound.pts.shifted(by: shift ?? found)
        placed.dts = placed.pts
        let time = placed.pts.duration
        let length = sound.duration ?? .milliseconds(20)
        if let end, time < end - length / 2 {
            // A line that jumped back far begins anew.
            guard end - time > .seconds(5) else { return nil }
        }
        end = time + length
        return placed
    }
}
