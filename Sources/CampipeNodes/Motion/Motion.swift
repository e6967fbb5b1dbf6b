import CampipeKit

/// Watches frames for motion. The frames pass unchanged; what moves becomes events.
struct Motion: Transform {
    static let name = "motion"
    static let summary = "Watches for motion: frames pass unchanged, and what moves becomes events."
    static let frames = Out<Frame>("frames")
    static let events = Out<Event>("events")
    static let outputs: [any AnyPort] = [frames, events]
    static let accepts: [Format] = [
        .frames(.yuv420), .frames(.yuv422), .frames(.yuv444), .frames(.nv12), .frames(.gray8),
    ]

    @Option("How easily motion is seen.") var sensitivity = Sensitivity.medium
    @Option("Pictures a second that are examined, or all.") var analyzeFps = AnalysisRate.perSecond(5)
    @Option("An event ends when nothing moved for so long.") var eventGap: Duration = .seconds(5)
    @Option("Where motion counts.") var zones = MotionZones()
    @Option("Polygons that are not looked at: a clock in the picture, a busy road.") var mask: Polygons? = nil

    private var surroundings: Surroundings?
    private var detector = MotionDetector(MotionSettings(.medium))
    private var episode = MotionEpisode(gap: .seconds(5))
    private var plane = LumaPlane()
    private var pace = AnalysisPace(.all)
    private var wasLost = false
    private var lastCaptured = Instant.zero

    private struct Surroundings {
        var node: String
        var time: CaptureTime
        var isLive: Bool
        /// The event that goes on.
        var eventID = ""
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if eventGap <= .zero {
            faults.append(Fault(.outOfRange, at: path.key("event_gap"), "event_gap is a time above 0", fix: "write 5s"))
        }
    }

    func output(for input: Format) throws -> Format { input }

    /// While only events are wanted: luma, as small and as seldom as the analysis needs.
    func want(_ downstream: Want) -> Want {
        guard downstream.format?.kind == .event else { return Want(maxRate: downstream.maxRate) }
        return Want(maxWidth: MotionSettings(sensitivity).columns, maxRate: analyzeFps.rate, lumaOnly: true)
    }

    mutating func open(_ context: borrowing Context) throws {
        surroundings = Surroundings(
            node: context.id, time: CaptureTime(isLive: context.isLive, clock: context.clock), isLive: context.isLive)
        var zones = zones
        zones.mask = mask
        detector = MotionDetector(MotionSettings(sensitivity), zones: zones)
        episode = MotionEpisode(gap: eventGap)
        pace = AnalysisPace(analyzeFps)
    }

    mutating func begin(_ input: Format) throws {
        detector.reset()
        pace = AnalysisPace(analyzeFps)
    }

    mutating func gap(_ gap: Gap) {
        if gap.isLost { wasLost = true }
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        let captured = frame.captured
        lastCaptured = captured
        if wasLost {
            wasLost = false
            detector.reset()
            pace = AnalysisPace(analyzeFps)
            if let step = episode.end() { emit(step, at: captured, to: &output) }
        }
        if output.isWanted(Self.events), !frame.isDamaged, pace.takes(captured) {
            plane.take(frame, target: MotionSettings(sensitivity).columns)
            if let step = episode.saw(detector.look(plane, at: captured), at: captured) {
                emit(step, at: captured, to: &output)
            }
        }
        if output.isWanted(Self.frames) { output.emit(frame, on: Self.frames) }
    }

    mutating func drain(to output: inout Output) throws {
        // Just after the last picture, with which all that was captured up to it had come.
        if let step = episode.end() { emit(step, at: lastCaptured + .nanoseconds(1), to: &output) }
    }

    private mutating func emit(_ step: MotionEpisode.Step, at captured: Instant, to output: inout Output) {
        guard let node = surroundings?.node else { return }
        func event(_ kind: EventKind, _ phase: Event.Phase, _ payload: [String: EventValue]) -> Event {
            let event = Event(
                kind, id: surroundings?.eventID ?? "", phase: phase, captured: captured, node: node, payload: payload)
            return surroundings.map { $0.isLive ? event.at($0.time.wallTime(at: captured)) : event } ?? event
        }
        switch step {
        case .began(let facts):
            let id = "\(node)-\(milliseconds(facts.start))"
            surroundings?.eventID = id
            output.emit(event(.motionStarted, .began, payload(facts)), on: Self.events)
        case .goesOn(let facts):
            output.emit(event(.motionStarted, .began, payload(facts)).repeated(at: captured), on: Self.events)
        case .ended(let facts, let last):
            var payload = payload(facts)
            payload["end"] = .number(Double(milliseconds(last)) / 1000)
            output.emit(event(.motionEnded, .ended, payload), on: Self.events)
        }
    }

    private func payload(_ facts: MotionEpisode.Facts) -> [String: EventValue] {
        [
            "score": .number((facts.score * 100).rounded() / 100),
            "area": .number((facts.area * 10_000).rounded() / 10_000),
            "boxes": .list(facts.boxes.prefix(16).map(\.value)),
            "start": .number(Double(milliseconds(facts.start)) / 1000),
        ]
    }

    /// Since 1970 of what is live, of a file since the stream's start.
    private func milliseconds(_ instant: Instant) -> Int64 {
        (surroundings?.time.wallTime(at: instant).microseconds ?? 0) / 1000
    }
}
