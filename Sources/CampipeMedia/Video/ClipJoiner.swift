package import CampipeKit
import Glibc

/// Puts recordings, or parts of them, one after the other into one file. Nothing is encoded: it begins at the keyframe at
/// or before what is asked for. It blocks while the disk does.
package struct ClipJoiner {
    /// A recording, or a part of one.
    package struct Part: Hashable, Sendable {
        package var path: String
        /// When its first picture was; nil where that is not known.
        package var start: WallTime?
        /// Since its first picture; nil is from its beginning.
        package var from: Duration?
        /// Since its first picture; nil is to its end.
        package var to: Duration?

        package init(path: String, start: WallTime? = nil, from: Duration? = nil, to: Duration? = nil) {
            self.path = path
            self.start = start
            self.from = from
            self.to = to
        }
    }

    /// What was written.
    package struct Result: Hashable, Sendable {
        package var pictures = 0
        package var length = Duration.zero
        /// When the first picture was.
        package var start: WallTime?
        package var hasSound = false
        /// Where there was nothing between two recordings, that was left out; of what follows the times go on at once.
        package var gaps = 0
    }

    /// What lies less far apart is one stretch: its own times stay.
    private static let seam = Duration.seconds(1)

    private let parts: [Part]
    private let container: Container
    private let interrupt: StopFlag
    private var result = Result()
    private var sound: PacketFormat?
    /// Where the next part begins in the file, and where the last one ended in the world's time.
    private var place = Duration.zero
    private var ended: WallTime?

    /// - Parameter container: What is written.
    package init(_ parts: [Part], container: Container, interrupt: StopFlag = StopFlag()) {
        self.parts = parts
        self.container = container
        self.interrupt = interrupt
    }

    /// Writes a new file.
    ///
    /// - Throws: `.unsupported` when the parts have not one format; what reading and writing throw. No file is left then.
    package mutating func write(to path: String) throws(CampipeError) -> Result {
        let format = try format()
        var beginnings: [Duration] = []
        for part in parts { beginnings.append(try keyframe(in: part)) }
        let muxer = try Muxer(
            .path(path), container: container, streams: [format] + (sound.map { [$0] } ?? []),
            creationTime: parts.first?.start.map { $0 + (beginnings.first ?? .zero) })
        do throws(CampipeError) {
            for (part, beginning) in zip(parts, beginnings) { try write(part, from: beginning, to: muxer) }
            guard result.pictures > 0 else { throw CampipeError(.notFound, "there is no picture in that time") }
            try muxer.finish()
        } catch {
            unsafe unlink(path)
            throw error
        }
        return result
    }

    /// The format of all parts.
    private mutating func format() throws(CampipeError) -> PacketFormat {
        var first: PacketFormat?
        for part in parts {
            let reader = try MediaReader(path: part.path, interrupt: interrupt)
            let format = reader.video.format
            guard let known = first else {
                first = format
                if let audio = reader.audio?.format, container.holds(audio) { sound = audio }
                continue
            }
            guard format.coding == known.coding, format.size == known.size, format.parameterSets == known.parameterSets
            else {
                throw CampipeError(
                    .unsupported, "\(part.path) has another format than the recordings before it",
                    fix: "export it into a file of its own")
            }
        }
        guard let first else { throw CampipeError(.notFound, "there is no recording in that time") }
        return first
    }

    private mutating func write(_ part: Part, from beginning: Duration, to muxer: Muxer) throws(CampipeError) {
        let reader = try MediaReader(path: part.path, interrupt: interrupt)
        let takesSound = sound != nil && reader.audio?.format == sound
        if takesSound { reader.select(audio: true) }
        /// From the file's own line of time to that of what is written.
        var shift: Duration?
        var (key, first) = (Duration.zero, Duration.zero)
        var (newest, step) = (Duration.zero, Duration.zero)
        while let packet = try reader.next() {
            let time = packet.captured - Instant.zero
            if shift == nil {
                guard !packet.format.isAudio, packet.isKeyframe, time >= beginning else { continue }
                (key, first) = (packet.pts.duration, time)
                let at = part.start.map { $0 + time }
                place = place + gap(before: at)
                shift = place - key
                if result.start == nil { result.start = at }
            }
            guard let shift else { continue }
            let decoded = time - packet.pts.duration + packet.dts.duration
            if let to = part.to, decoded >= to { break }
            // What would be shown before the first picture belongs to those that were left out.
            guard packet.pts.duration >= key else { continue }
            var moved = packet
            moved.pts = packet.pts.shifted(by: shift)
            moved.dts = packet.dts.shifted(by: shift)
            if packet.format.isAudio {
                result.hasSound = true
                try muxer.write(moved, stream: 1)
                continue
            }
            try muxer.write(moved)
            result.pictures += 1
            if time >= newest { (newest, step) = (time, packet.duration ?? (time - newest)) }
        }
        guard shift != nil else { return }
        let end = newest + step
        place = place + (end - first)
        result.length = place
        ended = part.start.map { $0 + end }
    }

    /// What was not recorded between the last part and this one, where it is short enough to be kept.
    private mutating func gap(before start: WallTime?) -> Duration {
        guard let ended, let start else { return .zero }
        let gap = start - ended
        guard gap > Self.seam || gap < .zero - Self.seam else { return max(.zero, gap) }
        result.gaps += 1
        return .zero
    }

    /// Where a part begins in its file: at the last keyframe at or before what is asked for, or at the first one.
    private func keyframe(in part: Part) throws(CampipeError) -> Duration {
        guard let wanted = part.from else { return .zero }
        let reader = try MediaReader(path: part.path, interrupt: interrupt)
        var found: Duration?
        while let packet = try reader.next() {
            let time = packet.captured - Instant.zero
            guard packet.isKeyframe else { continue }
            if time > wanted { break }
            found = time
        }
        return found ?? .zero
    }
}
