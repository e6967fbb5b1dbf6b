import CampipeKit
import CampipeMedia

/// The sound of a live stream, on its way into fragments beside those of its pictures. A value without clock.
struct LiveSound {
    /// How long a listener waits for sound once there are pictures; then there is none.
    private static let patience = Duration.milliseconds(1500)

    /// What the graph brings; nil while nobody listens.
    private(set) var subscription: Demand.ID?
    /// Since when nobody listens.
    var idleSince: Instant?
    /// What a listener needs before the first fragment; nil while no sound came.
    private(set) var heard: Initialization?
    private var nextSubscription = LiveVideo.firstSoundSubscription
    private var askedAt = Instant.distantPast
    private var shownAt: Instant?
    private var placement = SoundPlacement()
    private var line: SoundLine?

    /// Begins to listen.
    mutating func ask(at now: Instant) -> Demand.ID {
        defer { nextSubscription += 1 }
        askedAt = now
        subscription = nextSubscription
        return nextSubscription
    }

    /// Listens no more.
    mutating func stop() {
        subscription = nil
        idleSince = nil
        heard = nil
        line = nil
    }

    /// The pictures begin, or begin anew; nil: there are none.
    mutating func begin(_ initialization: Initialization?, at now: Instant) {
        guard let initialization else {
            shownAt = nil
            heard = nil
            line = nil
            return
        }
        shownAt = shownAt ?? now
        if let line { heard = initialization.with(line.configuration) }
    }

    /// The camera was lost.
    mutating func interrupt() { placement = SoundPlacement() }

    mutating func look(at picture: Packet) { placement.look(at: picture) }

    /// Whether sound has not come in time.
    func isOverdue(at now: Instant) -> Bool {
        guard let shownAt, subscription != nil else { return false }
        return now - max(askedAt, shownAt) >= Self.patience
    }

    /// Takes a frame of plain AAC.
    mutating func take(
        _ packet: Packet, silence: Bytes, _ initialization: Initialization, _ muxer: inout FragmentMuxer
    ) -> [Fragment] {
        guard let found = SoundConfiguration(packet.format), let placed = placement.place(packet),
            let time = muxer.time(of: placed.pts)
        else { return [] }
        var line = line.flatMap { $0.configuration == found ? $0 : nil } ?? SoundLine(found, silence: silence)
        let pieces = line.add(packet.data, at: time)
        if !pieces.isEmpty, heard?.sound != found { heard = initialization.with(found) }
        self.line = line
        return pieces.map { muxer.take($0, of: found, captured: packet.captured) }
    }

    /// What stands for sound that is missing, up to the newest picture.
    mutating func cover(_ picture: Fragment, _ muxer: inout FragmentMuxer) -> [Fragment] {
        guard var line else { return [] }
        let time = MediaTime(ticks: picture.time, timebase: Timebase(1, Int32(FragmentMuxer.timescale)))
        let pieces = line.cover(upTo: time.duration)
        self.line = line
        return pieces.map { muxer.take($0, of: line.configuration, captured: picture.captured) }
    }
}
