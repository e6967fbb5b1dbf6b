import CampipeKit

/// Takes one picture of many, by the time at which they were captured.
///
/// A type for each kind: packets are handed on as they are, coded. Of what is not coded picture by picture (H.264,
/// H.265) these are keyframes only; `max_fps` then works on frames, and the pictures are decoded for it.
struct Sample<Input: Item>: Transform {
    static var name: String { "sample" }
    static var summary: String {
        "Takes one picture of many, by time; play_fps makes a timelapse of them, with a file sink behind it."
    }
    static var omits: DropReason { .sampled }
    static var outputs: [any AnyPort] { Input.kind == .packet ? [Out<Packet>("out")] : [Out<Frame>("out")] }

    @Option(
        .milliseconds(1)...(.seconds(604_800)),
        "Time from one picture to the next; of H.264 and H.265 it is the keyframe that comes then.")
    var every: Duration? = nil
    @Option(0.01...1000, "Pictures a second at most; H.264 and H.265 are decoded for it.") var maxFps: Double? = nil
    @Option(0.1...1000, "Pictures a second at which those that are taken play: their times are written anew.")
    var playFps: Double? = nil

    private var pace: SamplingPace?
    private var player: Replay?

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if every != nil, maxFps != nil {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("max_fps"), "max_fps does not go with every",
                    fix: "leave one of them out", part: .key))
        }
        if every == nil, maxFps == nil, playFps == nil {
            faults.append(
                Fault(
                    .idleNode, at: path, "this sample takes every picture", fix: "set every: 10s or max_fps: 5",
                    severity: .warning))
        }
    }

    private var interval: Duration? { every ?? maxFps.map { .nanoseconds(Int64(1e9 / $0)) } }

    /// Pictures a second that come out, by time of capture.
    private var ownRate: Double? { interval.map { 1 / $0.seconds } }

    /// Pictures a second that come out, by time of presentation.
    private func rate(_ rate: Double?) -> Double? {
        if let playFps { return playFps }
        guard let ownRate else { return rate }
        return min(ownRate, rate ?? ownRate)
    }

    /// - Throws: `.unsupported` for `max_fps` of packets that need one another.
    func output(for input: Format) throws -> Format {
        switch input {
        case .packets(var packets):
            if maxFps != nil, !packets.isIntraCoded {
                throw CampipeError(
                    .unsupported, "cannot take \(maxFps ?? 0) pictures a second of packets that need one another",
                    fix: "write every, which takes keyframes, or put decode in front")
            }
            packets = format(packets)
            return .packets(packets)
        case .frames(var frames):
            frames.rate = rate(frames.rate)
            return .frames(frames)
        case .events: return input
        }
    }

    private func format(_ packets: PacketFormat) -> PacketFormat {
        var result = packets
        result.rate = rate(packets.rate)
        if packets.coding != nil, !packets.isIntraCoded { result.keyframesOnly = true }
        if playFps != nil { result.timebase = .rtpVideo }
        return result
    }

    /// Frames that nobody takes need not be made: twice as many as are taken leave a choice.
    func want(_ downstream: Want) -> Want {
        guard Input.kind == .frame else { return Want() }
        return Want(maxWidth: downstream.maxWidth, maxHeight: downstream.maxHeight, maxRate: ownRate.map { $0 * 2 })
    }

    mutating func begin(_ input: Format) throws {
        if pace == nil { pace = SamplingPace(interval) }
        if player == nil { player = playFps.map(Replay.init) }
    }

    mutating func process(_ item: consuming Input, to output: inout Output) throws {
        if Input.kind == .packet {
            try take(Packet(storage: item.storage), to: &output)
        } else {
            guard pace?.takes(item.captured) ?? true else { return }
            let frame = Frame(storage: item.storage)
            let pts = player?.next(after: frame.pts) ?? frame.pts
            let rate = rate(frame.format.rate)
            output.emit(frame.replayed(at: pts, rate: rate))
        }
    }

    private mutating func take(_ packet: Packet, to output: inout Output) throws {
        guard packet.isKeyframe, pace?.takes(packet.captured) ?? true else { return }
        let own = format(packet.format)
        guard player != nil else {
            output.emit(own == packet.format ? packet : packet.replacing(packet.data, format: own))
            return
        }
        let pts = player?.next(after: packet.pts) ?? packet.pts
        output.emit(packet.replayed(at: pts, format: own, duration: player?.interval))
    }
}

/// Picks pictures on a grid of time, as a value.
struct SamplingPace: Sendable {
    private let interval: Duration?
    private var due = Instant.distantPast

    /// - Parameter interval: From one picture to the next; nil takes each.
    init(_ interval: Duration?) { self.interval = interval }

    /// Whether the picture captured then is taken.
    mutating func takes(_ captured: Instant) -> Bool {
        // A picture that comes a little early counts: cameras jitter, and every second one would be missed. But of a
        // long interval a little is a short time.
        guard let interval, captured + min(interval / 8, .milliseconds(100)) >= due else { return interval == nil }
        due = due == .distantPast || captured - due > interval ? captured + interval : due + interval
        return true
    }
}

/// Times of presentation at a rate of their own, as a value.
struct Replay: Sendable {
    private let rate: Double
    private var start: MediaTime?
    private var count = 0

    init(_ rate: Double) { self.rate = rate }

    /// How long a picture is shown.
    var interval: Duration { .nanoseconds(Int64((1e9 / rate).rounded())) }

    /// When the next picture is shown: the first one when it came, the others behind it at the rate.
    mutating func next(after pts: MediaTime) -> MediaTime {
        let first = start ?? pts.rescaled(to: .rtpVideo) ?? MediaTime(ticks: 0, timebase: .rtpVideo)
        start = first
        defer { count += 1 }
        return MediaTime(
            ticks: first.ticks + Int64((Double(count) * 90_000 / rate).rounded()), timebase: .rtpVideo)
    }
}
