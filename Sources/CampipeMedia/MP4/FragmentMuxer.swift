package import CampipeKit

/// Makes a fragmented MP4 of the packets of one stream of H.264 or H.265: one fragment a picture, as soon as the picture
/// is there. A value, without I/O and clock.
///
/// Fragments are independent of who they are sent to, so that one mux serves all viewers: each begins with the
/// `Initialization` and any keyframe. Times begin at 0 with the first fragment, go on over gaps, and follow the packets'
/// own; so a player that left some out is where the others are. New parameter sets give a new `Initialization`. Frames of
/// sound are fragments of their own, on a second track, for whoever was given an `Initialization` with it.
package struct FragmentMuxer: Sendable {
    /// Ticks a second (RFC 6184 section 5.1).
    package static let timescale: Int64 = 90_000
    private static let timebase = Timebase(1, 90_000)
    /// Of a picture of which nothing is known.
    private static let usualDuration = timescale / 25
    /// A time that jumps back by more than this begins a new line of time.
    private static let rewind = timescale
    /// What is beyond is no time, but damage; differences of what is not fit their type.
    private static let farthest: UInt64 = 1 << 59

    /// What became of a packet.
    package enum Answer: Sendable {
        /// The stream begins, or begins anew, with this fragment, which is a keyframe.
        case begin(Initialization, Fragment)
        case fragment(Fragment)
        /// It is not for an MP4: its parameter sets are not known, or it comes before the first keyframe.
        case none
    }

    private var format: PacketFormat?
    /// What the newest packet's format says; nil while it says too little.
    private var wanted: VideoConfiguration?
    /// What the fragments so far are for.
    private var current: VideoConfiguration?
    private var sequence: UInt32 = 0
    private var offset: Int64?
    private var last: Int64?
    private var interval: Int64?

    package init() {}

    /// Takes the next packet, and says what comes of it.
    package mutating func take(_ packet: Packet) -> Answer {
        if packet.format != format {
            format = packet.format
            wanted = VideoConfiguration(packet.format)
        }
        guard let wanted, packet.data.count > 0 else { return .none }
        let begins = current != wanted
        guard !begins || packet.isKeyframe, let times = place(packet) else { return .none }
        let made = fragment(packet, wanted, times)
        guard begins else { return .fragment(made) }
        current = wanted
        return .begin(Initialization(configuration: wanted, bytes: Self.initialization(wanted)), made)
    }

    /// When a time of the packets is, since the first fragment; nil before it.
    package func time(of pts: MediaTime) -> Duration? {
        guard let offset, let ticks = pts.rescaled(to: Self.timebase)?.ticks, ticks.magnitude < Self.farthest else {
            return nil
        }
        return MediaTime(ticks: ticks - offset, timebase: Self.timebase).duration
    }

    /// Makes a fragment of a frame of sound.
    package mutating func take(_ piece: SoundLine.Piece, of sound: SoundConfiguration, captured: Instant) -> Fragment {
        sequence &+= 1
        let rate = Int64(sound.sampleRate)
        var writer = BoxWriter()
        writer.box("moof") { moof in
            moof.box("mfhd", version: 0) { $0.number32(sequence) }
            moof.box("traf") { traf in
                traf.box("tfhd", version: 0, flags: 0x02_0000) { $0.number32(Self.soundTrackNumber) }
                traf.box("tfdt", version: 1) { $0.number64(UInt64(piece.time)) }
                // Offset of the data, duration and size; the flags are those that `trex` says.
                traf.box("trun", version: 1, flags: 0x0301) { trun in
                    trun.number32(1)
                    trun.number32(Self.soundMoofSize + 8)
                    trun.number32(UInt32(SoundLine.frame))
                    trun.number32(UInt32(piece.data.count))
                }
            }
        }
        writer.number32(UInt32(piece.data.count + 8))
        writer.text("mdat")
        return Fragment(
            head: Bytes(writer.bytes), body: piece.data, isKey: false, time: piece.time * Self.timescale / rate,
            duration: SoundLine.frame * Self.timescale / rate, captured: captured, isSound: true)
    }

    private struct Times {
        var decoding: Int64
        /// Less than 0 where the source gave its decoding times too late, as Matroska's readers do.
        var shownLater: Int32
        var duration: Int64
    }

    private mutating func place(_ packet: Packet) -> Times? {
        guard let dts = packet.dts.rescaled(to: Self.timebase)?.ticks,
            let pts = packet.pts.rescaled(to: Self.timebase)?.ticks,
            dts.magnitude < Self.farthest, pts.magnitude < Self.farthest
        else { return nil }
        var zero = offset ?? dts
        if let last, dts - zero < last - Self.rewind { zero = dts - last - (interval ?? Self.usualDuration) }
        offset = zero
        var decoding = dts - zero
        if let last, decoding <= last { decoding = last + 1 }
        let own = packet.duration.flatMap { MediaTime($0).rescaled(to: Self.timebase)?.ticks }
        // What is longer than a second is mostly a gap, and not a pace.
        if let last, decoding - last > 1, decoding - last <= Self.timescale { interval = decoding - last }
        let paced = packet.format.rate.flatMap { $0 > 0.01 ? Int64(Double(Self.timescale) / $0) : nil }
        let duration = own ?? interval ?? paced ?? Self.usualDuration
        last = decoding
        return Times(
            decoding: decoding, shownLater: Int32(clamping: pts - zero - decoding),
            duration: min(max(1, duration), Self.timescale * 10))
    }

    private mutating func fragment(_ packet: Packet, _ configuration: VideoConfiguration, _ times: Times) -> Fragment {
        sequence &+= 1
        let body = configuration.hasStartCodes ? Self.withLengths(packet.data) : packet.data
        // Depends on others or not, others depend on it or not, is no sync sample (8.8.3.1).
        let flags: UInt32 =
            packet.isKeyframe ? 0x0200_0000 : 0x0101_0000 | (packet.isDisposable ? 0x0080_0000 : 0)
        var writer = BoxWriter()
        writer.box("moof") { moof in
            moof.box("mfhd", version: 0) { $0.number32(sequence) }
            moof.box("traf") { traf in
                // Offsets count from the moof (8.8.7.1).
                traf.box("tfhd", version: 0, flags: 0x02_0000) { $0.number32(Self.trackNumber) }
                traf.box("tfdt", version: 1) { $0.number64(UInt64(times.decoding)) }
                // Offset of the data; of each sample duration, size, flags and composition offset (8.8.8.1).
                traf.box("trun", version: 1, flags: 0x0F01) { trun in
                    trun.number32(1)
                    trun.number32(Self.moofSize + 8)
                    trun.number32(UInt32(times.duration))
                    trun.number32(UInt32(body.count))
                    trun.number32(flags)
                    trun.number32(UInt32(bitPattern: times.shownLater))
                }
            }
        }
        writer.number32(UInt32(body.count + 8))
        writer.text("mdat")
        return Fragment(
            head: Bytes(writer.bytes), body: body, isKey: packet.isKeyframe, time: times.decoding,
            duration: times.duration, captured: packet.captured)
    }

    private static let trackNumber: UInt32 = 1
    private static let moofSize: UInt32 = 104
    static let soundTrackNumber: UInt32 = 2
    private static let soundMoofSize: UInt32 = 96

    /// Units with their lengths in front, four bytes each, in the place of start codes.
    private static func withLengths(_ data: Bytes) -> Bytes {
        let bytes = data.array
        let units = NALUnits.find(in: bytes)
        return unsafe Bytes(count: units.reduce(0) { $0 + $1.count + 4 }) { target in
            unsafe bytes.withUnsafeBytes { source in
                var at = 0
                for unit in units {
                    let length = UInt32(unit.count).bigEndian
                    unsafe target.storeBytes(of: length, toByteOffset: at, as: UInt32.self)
                    at += 4
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[at..<(at + unit.count)])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[unit]))
                    at += unit.count
                }
            }
        }
    }
}
