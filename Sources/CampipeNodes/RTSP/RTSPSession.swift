import CampipeHTTP
import CampipeKit
import CampipeMedia

/// One camera as the process reads it over RTSP: a thread that asks, receives and tells all readers the same.
final class RTSPSession: Sendable {
    /// After so long without a picture's packet the session is over.
    static let silence = Duration.seconds(10)
    /// How long the first one is waited for by a transport that is only tried.
    static let trial = Duration.seconds(4)
    /// How often the camera hears how its packets arrive (RFC 3550 section 6.2).
    private static let reportInterval = Duration.seconds(5)

    private struct State {
        /// Not held: a node that lets its reader go has left.
        var readers: [ObjectIdentifier: Weak] = [:]
        var facts: RTSPFacts?
        var isOver = false
    }
    private struct Weak { weak var reader: RTSPReader? }

    /// A stream that was set up.
    private struct Reading {
        var track: RTPTrack
        var stream: RTSPEvent.Stream
        /// Whether its packets were passed over, since nobody took them.
        var isSkipped = false
    }

    private let request: RTSPRequest
    private let clock: any PipelineClock
    private let transports: RTSPTransportMemory
    private let flag = StopFlag()
    private let state = Lock(State())

    /// - Parameter transports: What is known of cameras already.
    init(_ request: RTSPRequest, clock: any PipelineClock, transports: RTSPTransportMemory) {
        self.request = request
        self.transports = transports
        self.clock = clock
    }

    /// - Returns: False when it is over.
    func join(_ reader: RTSPReader) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.readers[ObjectIdentifier(reader)] = Weak(reader: reader)
            return true
        }
    }

    /// What was agreed with the camera; nil until it plays.
    var facts: RTSPFacts? { state.withLock { $0.facts } }

    /// - Returns: Whether nobody reads it any more; it ends then.
    func leave(_ reader: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.readers[reader] = nil
            guard state.readers.isEmpty else { return false }
            state.isOver = true
            flag.raise()
            return true
        }
    }

    func stop() { flag.raise() }

    /// Reads until somebody says stop or the camera is lost. On the session's own thread.
    func run() {
        var cause: CampipeError?
        do throws(CampipeError) { try readSomehow() } catch { cause = flag.isRaised ? nil : error }
        let readers = state.withLock { state in
            state.isOver = true
            defer { state.readers = [:] }
            return state.readers.values.compactMap(\.reader)
        }
        for reader in readers { reader.add(.ended(cause)) }
    }

    private func tell(_ event: RTSPEvent) {
        for reader in state.withLock({ $0.readers.values.compactMap(\.reader) }) { reader.add(event) }
    }

    /// Reads by the transport that the file says; else by one after the other until pictures come.
    private func readSomehow() throws(CampipeError) {
        guard request.transport == .auto else {
            guard let silent = try read(request, patience: Self.silence) else { return }
            throw CampipeError(
                .timedOut, "\(request.url.shown): no picture in \(Int(Self.silence.seconds)) s",
                fix: silent == .udp ? "let UDP through, or write `transport: tcp`" : nil)
        }
        var tried: [RTSPRequest.Transport] = []
        while let transport = transports.with(request, { [tried] in $0.next(after: tried) }) {
            if let last = tried.last { tell(.trying(transport, after: last)) }
            var own = request
            // Who refuses TCP is asked for UDP at once.
            own.transport = transport == .tcp ? .auto : transport
            let isKnown = transports.with(request) { $0.known == transport }
            var silent: RTSPRequest.Transport?
            do throws(CampipeError) {
                silent = try read(own, patience: isKnown ? Self.silence : Self.trial)
                guard silent != nil else { return }
            } catch {
                // A camera need not take those that come behind the first, nor what it took once.
                let isRefused = transport != .tcp && [.unsupported, .notFound, .failed].contains(error.kind)
                guard !flag.isRaised, !tried.isEmpty || isRefused else { throw error }
            }
            for failed in [transport, silent ?? transport] where !tried.contains(failed) {
                tried.append(failed)
                transports.with(request) { $0.failed(failed) }
            }
        }
        throw CampipeError(
            .timedOut,
            "\(request.url.shown): it plays, and no picture comes over "
                + tried.map { $0.rawValue.uppercased() }.joined(separator: ", "),
            fix: "set `transport` to what the camera is set to, or let UDP through")
    }

    /// Reads until it is stopped or the camera is lost.
    ///
    /// - Returns: The transport, if nothing ever came by it; nil when it was stopped.
    private func read(_ request: RTSPRequest, patience: Duration) throws(CampipeError) -> RTSPRequest.Transport? {
        let client = try RTSPClient(request, clock: clock, stop: flag)
        let description = try client.describe()
        defer { client.tearDown() }
        var tracks: [Reading] = []
        var ignored: [String] = []
        for track in description.tracks {
            let stream: RTSPEvent.Stream = track.kind == .audio ? .audio : .video
            // Video first comes first: sound is never at its expense.
            guard track.kind != .other, !tracks.contains(where: { $0.stream == stream }),
                let carried = Self.carried(track)
            else {
                ignored.append("\(track.kind.rawValue) \(track.encoding)")
                continue
            }
            do throws(CampipeError) {
                _ = try client.setUp(track, sessionControl: description.control)
                tracks.append(
                    Reading(track: try RTPTrack(carried, isReliable: !client.usesUDP), stream: stream))
            } catch {
                guard stream == .audio else { throw error }
                ignored.append("audio \(track.encoding)")
            }
        }
        guard let video = tracks.first(where: { $0.stream == .video })?.track else {
            let offered = description.tracks.map { "\($0.kind.rawValue) \($0.encoding)" }.joined(separator: ", ")
            throw CampipeError(
                .unsupported, "cannot read \(request.url.shown): it offers \(offered)",
                fix: "set the camera to H.264, H.265 or JPEG")
        }
        try client.play(sessionControl: description.control)
        let transport: RTSPRequest.Transport = client.usesUDP ? .udp : request.transport == .http ? .http : .tcp
        let facts = RTSPFacts(
            transport: transport.rawValue, video: video.packetFormat,
            audio: tracks.first { $0.stream == .audio }?.track.packetFormat, ignored: ignored)
        state.withLock { $0.facts = facts }
        tell(.opened(facts))
        return try receive(client, tracks, transport, patience: patience) ? nil : transport
    }

    /// - Returns: False when nothing came at all.
    private func receive(
        _ client: RTSPClient, _ tracks: [Reading], _ transport: RTSPRequest.Transport, patience: Duration
    ) throws(CampipeError) -> Bool {
        var tracks = tracks
        var line = CameraLine()
        var lastPicture = clock.now
        var hasPicture = false
        var hasToldStart = false
        var lastReport = clock.now
        var trouble = (lost: 0, mended: TimestampMender.Counts())
        let own = UInt32.random(in: 1...UInt32.max)
        var outputs: [RTPTrack.Output] = []
        while !flag.isRaised {
            let arrival: RTPArrival?
            do throws(CampipeError) {
                arrival = try client.next()
            } catch {
                // What waited for something missing is whole enough.
                for reading in tracks {
                    reading.track.settle(at: .distantFuture, into: &outputs)
                    hand(out: &outputs, reading.stream, &line)
                }
                throw error
            }
            let now = clock.now
            if let arrival, tracks.indices.contains(arrival.track) {
                let stream = tracks[arrival.track].stream
                if arrival.isControl {
                    tracks[arrival.track].track.receiveControl(arrival.bytes, at: arrival.at)
                } else if stream == .audio, !isHeard {
                    tracks[arrival.track].isSkipped = true
                } else {
                    if stream == .video { lastPicture = now }
                    if stream == .video, !hasPicture {
                        hasPicture = true
                        self.transports.with(self.request) { $0.worked(transport) }
                    }
                    if tracks[arrival.track].isSkipped {
                        tracks[arrival.track].track = try tracks[arrival.track].track.restarted()
                        tracks[arrival.track].isSkipped = false
                    }
                    tracks[arrival.track].track.receive(arrival.bytes, at: arrival.at, into: &outputs)
                    hand(out: &outputs, stream, &line)
                    if !hasToldStart, let start = tracks[arrival.track].track.weakestStart {
                        hasToldStart = true
                        tell(.began(start))
                    }
                }
            } else {
                for reading in tracks {
                    reading.track.settle(at: now, into: &outputs)
                    hand(out: &outputs, reading.stream, &line)
                }
            }
            if !hasPicture, now - lastPicture >= patience { return false }
            guard now - lastPicture < Self.silence else {
                throw CampipeError(
                    .timedOut, "\(request.url.shown): no picture in \(Int(Self.silence.seconds)) s",
                    fix: client.usesUDP ? "let UDP through, or write `transport: tcp`" : nil)
            }
            guard now - lastReport >= Self.reportInterval else { continue }
            lastReport = now
            for (index, reading) in tracks.enumerated() {
                if let report = reading.track.receiverReport(own: own, at: now) {
                    try client.report(report, track: index)
                }
            }
            let found = (
                lost: tracks.reduce(0) { $0 + $1.track.lost },
                mended: tracks.reduce(into: TimestampMender.Counts()) { $0.add($1.track.mended) }
            )
            if found != trouble { tell(.trouble(lost: found.lost, mended: found.mended)) }
            trouble = found
        }
        return true
    }

    /// Whether anybody takes sound.
    private var isHeard: Bool {
        state.withLock { $0.readers.values.compactMap(\.reader) }.contains(where: \.isListening)
    }

    private func hand(out outputs: inout [RTPTrack.Output], _ stream: RTSPEvent.Stream, _ line: inout CameraLine) {
        for output in outputs {
            switch output {
            case .packet(var packet):
                if stream == .video { line.look(at: packet) } else { packet.captured = line.captured(of: packet) }
                tell(.packet(stream, packet))
            case .missing(let reason, let count): tell(.missing(reason, count: count, at: clock.now))
            }
        }
        outputs.removeAll(keepingCapacity: true)
    }

    /// A track as it is read; nil of a coding that is not carried.
    private static func carried(_ track: SessionDescription.Track) -> RTPTrack.Description? {
        let fields =
            track.encoding == "H264" ? ["sprop-parameter-sets"] : ["sprop-vps", "sprop-sps", "sprop-pps"]
        let sets = fields.compactMap { track.parameter($0) }.flatMap { $0.split(separator: ",") }
            .compactMap { Base64.bytes(String($0)) }.filter { !$0.isEmpty }
        return RTPTrack.Description(
            isAudio: track.kind == .audio, encoding: track.encoding, clockRate: track.clockRate,
            channels: track.channels, parameters: track.parameters, rate: track.rate, sets: sets)
    }
}
