import CampipeHTTP
import CampipeKit
import CampipeMedia

/// Reads a camera over RTSP: H.264, H.265 or JPEG, with its sound, and a second, small stream of it.
///
/// Each URL is read by a session that the nodes of the process share. With `sub_url` each of the two is open only while
/// somebody wants what it brings; without, `sub` carries what `out` does.
struct RTSPSource: Source {
    static let name = "rtsp"
    static let summary = "Reads H.264, H.265 or JPEG, and sound, over RTSP."
    static let out = Out<Packet>("out")
    static let sub = Out<Packet>("sub")
    static let audio = Out<Packet>("audio", format: .packets(PacketFormat(.aac)))
    static let outputs: [any AnyPort] = [out, sub, audio]

    @Option("Where the camera answers, such as rtsp://192.168.1.20/stream1.", example: "rtsp://192.168.1.20/stream1")
    var url: String
    @Option("A second, small stream of the same camera; the output `sub` carries it.") var subUrl: String? = nil
    var camera = RTSPCameraOptions()

    private var surroundings: Surroundings?
    private var main: RTSPFeed?
    private var small: RTSPFeed?
    private var intervals = [KeyframeInterval(), KeyframeInterval()]
    private var trouble = RecurringNote(every: .seconds(60))
    private var refusals = RefusalNote()
    /// Since when packets come without one to begin at, of each stream.
    private var startlessSince: [Instant?] = [nil, nil]

    /// Keyframes that come less often are waited for by connecting anew.
    private static let longestStart = Duration.seconds(30)

    private struct Surroundings {
        let id: String
        let clock: any PipelineClock
        let log: Log
        let waker: Waker
        let sessions: RTSPSessions
    }

    var format: Format? { .packets(.any) }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if let fault = Self.fault(url, at: path.key("url")) { faults.append(fault) }
        if let subUrl, let fault = Self.fault(subUrl, at: path.key("sub_url")) { faults.append(fault) }
        camera.check(url, at: path, into: &faults)
    }

    private static func fault(_ url: String, at path: FaultPath) -> Fault? {
        if let fault = CameraScheme.hostFault(url, at: path, due: "rtsp") { return fault }
        do throws(CampipeError) {
            _ = try RTSPURL(url)
            return nil
        } catch {
            return Fault(.invalidValue, at: path, error.message, fix: error.fix ?? "write it as rtsp://host/path")
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        let sessions = try context.service(RTSPSessions.self)
        surroundings = Surroundings(
            id: context.id, clock: context.clock, log: context.log, waker: context.waker, sessions: sessions)
        main = RTSPFeed(camera.request(try RTSPURL(url)))
        small = try subUrl.map { RTSPFeed(camera.request(try RTSPURL($0))) }
        if camera.trust(url).isUnproven, sessions.isFirst("unproven \(context.id)") {
            context.log.warning("the camera's certificate is not checked: anybody in between can read and change all")
        }
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let surroundings else { return .ended }
        let now = surroundings.clock.now
        let isHeard = output.isWanted(Self.audio)
        try connect(output.isWanted(Self.out) || isHeard, output.isWanted(Self.sub))
        main?.reader?.hear(isHeard)
        for event in main?.reader?.take() ?? [] { try take(event, isSmall: false, to: &output) }
        for event in small?.reader?.take() ?? [] { try take(event, isSmall: true, to: &output) }
        let look = [main?.nextLook, small?.nextLook].compactMap(\.self).min()
        if main?.reader == nil, small?.reader == nil, look == nil {
            // Nobody wants anything: silence is no stall.
            output.rest(until: now + .seconds(60))
            return .waitUntil(now + .seconds(60))
        }
        return look.map { .waitUntil($0) } ?? .wait
    }

    private mutating func connect(_ mainIsWanted: Bool, _ subIsWanted: Bool) throws {
        guard let surroundings else { return }
        let waker = surroundings.waker
        try main?.manage(
            isWanted: small == nil || mainIsWanted, surroundings.sessions, clock: surroundings.clock,
            wake: { waker.wake() })
        try small?.manage(
            isWanted: subIsWanted, surroundings.sessions, clock: surroundings.clock, wake: { waker.wake() })
    }

    private mutating func take(_ event: RTSPEvent, isSmall: Bool, to output: inout Output) throws {
        guard let surroundings else { return }
        let port = isSmall ? 1 : 0
        switch event {
        case .opened(let facts): opened(facts, isSmall)
        case .trying(let next, let last):
            surroundings.log.warning(
                "the camera plays and sends nothing; it is tried by another transport",
                [
                    "transport": next.rawValue, "before": last.rawValue, "stream": isSmall ? "sub" : "main",
                ])
            output.rest(until: surroundings.clock.now + RTSPSession.trial)
        case .began(let start): began(start, isSmall)
        case .packet(.audio, let packet):
            if !isSmall { output.emit(packet, on: Self.audio) }
        case .packet(.video, let packet):
            if isSmall { small?.isFine() } else { main?.isFine() }
            startlessSince[port] = nil
            if packet.isKeyframe { look(packet.format, isSmall) }
            if let long = intervals[port].look(isKeyframe: packet.isKeyframe, time: packet.dts.duration),
                surroundings.sessions.isFirst("keyframes \(surroundings.id) \(port)")
            {
                surroundings.log.warning(
                    "the camera sends keyframes seldom: viewers and recordings begin only at one; set its keyframe "
                        + "interval (GOP, I-frame interval) to one or two seconds in the camera's menu",
                    ["seconds": Int(long.seconds), "stream": isSmall ? "sub" : "main"])
            }
            if isSmall || small == nil { output.emit(packet, on: Self.sub) }
            if !isSmall { output.emit(packet) }
        case .missing(let reason, let count, let at):
            gap(Gap(reason, count: count, at: at), isSmall, &output)
            if reason == .brokenReference { waitForStart(isSmall, &output) }
            if let (count, reasons) = refusals.happened(reason.name, count, at: surroundings.clock.now) {
                surroundings.log.debug("pictures refused", ["count": count, "reason": reasons])
            }
        case .overrun(.audio, let count, let through):
            if !isSmall { output.gap(Gap(.overrun, count: count, at: through), on: 2) }
        case .overrun(.video, let count, let through):
            gap(Gap(.overrun, count: count, at: through), isSmall, &output)
        case .trouble(let lost, let mended):
            guard trouble.happened(at: surroundings.clock.now) != nil else { return }
            surroundings.log.info(
                "packets were lost, or times were mended",
                [
                    "lost": lost, "jumps": mended.jumps, "constant": mended.constant, "backwards": mended.backwards,
                    "stream": isSmall ? "sub" : "main",
                ])
        case .ended(let error): try ended(error, isSmall, &output)
        }
    }

    /// Pictures come, but none to begin with yet: the camera is well, for a while.
    private mutating func waitForStart(_ isSmall: Bool, _ output: inout Output) {
        guard let now = surroundings?.clock.now else { return }
        let since = startlessSince[isSmall ? 1 : 0] ?? now
        startlessSince[isSmall ? 1 : 0] = since
        if now - since < Self.longestStart { output.rest(until: now + .seconds(1)) }
    }

    private func began(_ start: StartPoints.Kind, _ isSmall: Bool) {
        guard let surroundings, surroundings.sessions.isFirst("start \(surroundings.id) \(isSmall)") else { return }
        let how =
            switch start {
            case .keyframe: "at a keyframe"
            case .recovery: "where a refresh begins"
            case .intra: "at a whole picture that is not marked"
            case .any: "at any picture"
            }
        surroundings.log.warning(
            "the camera sends no keyframes (IDR), and some browsers do not begin without: set its keyframe interval (GOP, "
                + "I-frame interval) to one or two seconds in the camera's menu",
            ["begins": how, "stream": isSmall ? "sub" : "main"])
    }

    /// Says once that pixels are not square.
    private func look(_ format: PacketFormat, _ isSmall: Bool) {
        guard let surroundings, let size = format.size, let aspect = format.sampleAspect,
            surroundings.sessions.isFirst("aspect \(surroundings.id) \(isSmall)")
        else { return }
        let shown = aspect.shown(size)
        surroundings.log.info(
            "the camera's pixels are not square: players show its video right; pictures made of it keep its pixels, and a "
                + "scale with `fit: stretch` to the shown size makes them right",
            ["size": size, "shown": shown, "stream": isSmall ? "sub" : "main"])
    }

    private func gap(_ gap: Gap, _ isSmall: Bool, _ output: inout Output) {
        if !isSmall { output.gap(gap) }
        if isSmall || small == nil { output.gap(gap, on: 1) }
    }

    private mutating func ended(_ error: CampipeError?, _ isSmall: Bool, _ output: inout Output) throws {
        guard let surroundings else { return }
        let error = error ?? CampipeError(.ended, "the camera ended the stream")
        // The other stream goes on alone; a password that is refused is refused for both.
        let other = isSmall ? main?.reader : small?.reader
        guard other != nil, error.kind != .unauthorized else { throw error }
        let now = surroundings.clock.now
        surroundings.log.warning(
            "lost, connects again", ["cause": error, "stream": isSmall ? "sub" : "main"])
        output.gap(Gap(.lost, count: 0, at: now), on: isSmall ? 1 : 0)
        if isSmall { small?.lose(at: now) } else { main?.lose(at: now) }
    }

    private func opened(_ facts: RTSPFacts, _ isSmall: Bool) {
        guard let surroundings else { return }
        surroundings.log.debug(
            "the camera plays",
            [
                "transport": facts.transport, "video": Format.packets(facts.video),
                "audio": facts.audio?.coding?.rawValue ?? "none", "stream": isSmall ? "sub" : "main",
            ])
        guard !facts.ignored.isEmpty, surroundings.sessions.isFirst("ignored \(surroundings.id) \(isSmall)") else {
            return
        }
        surroundings.log.warning(
            "some of what the camera offers is not taken", ["tracks": facts.ignored.joined(separator: ", ")])
    }

    mutating func finish() throws {
        main?.close()
        small?.close()
        (main, small, surroundings) = (nil, nil, nil)
    }
}
