import CampipeKit

/// Watches frames for motion. The frames pass with the regions that move noted on them, and what moves becomes events.
struct Motion: Transform {
    static let name = "motion"
    static let summary = "Watches for motion: frames pass, and what moves becomes events."
    static let frames = Out<Frame>("frames")
    static let events = Out<Event>("events", tells: [.motionStarted, .motionEnded])
    static let debug = Out<Frame>("debug", format: .frames(.yuv444), byName: true)
    static let outputs: [any AnyPort] = [frames, events, debug]
    static let accepts: [Format] = [
        .frames(.yuv420), .frames(.yuv422), .frames(.yuv444), .frames(.nv12), .frames(.gray8),
    ]

    @Option("How easily motion is seen.") var sensitivity = Sensitivity.medium
    @Option(1...255, "Levels by which a part of the picture must differ; low means 22, medium 14, high 9.")
    var threshold: Int? = nil
    @Option(
        Percent(fraction: 0.0001)...Percent(fraction: 1),
        "Share of the picture that must move in one piece; low means 0.8%, medium 0.2%, high 0.04%.")
    var minArea: Percent? = nil
    @Option(40...960, "Columns that the picture is reduced to, or up to twice as many; high means 320, else 160.")
    var columns: Int? = nil
    @Option(.zero...(.seconds(3600)), "How long something must move before an event begins; it says then since when.")
    var minDuration = Duration.zero
    @Option("Pictures a second that are examined, or all.") var analyzeFps = AnalysisRate.perSecond(5)
    @Option(.milliseconds(1)...(.seconds(86_400)), "An event ends when nothing moved for so long.")
    var eventGap: Duration = .seconds(5)
    @Option("Where motion counts.") var zones = MotionZones()
    @Option("Polygons that are not looked at: a clock in the picture, a busy road.") var mask: Polygons? = nil

    private var speaker: MotionSpeaker?
    private var detector = MotionDetector(MotionSettings(.medium))
    private var episode = MotionEpisode(gap: .seconds(5))
    private var best = BestPicture()
    private var plane = LumaPlane()
    private var pace = AnalysisPace(.all)
    private var pool: FramePool?
    /// What the last picture that was examined showed.
    private var regions: [Region] = []
    private var wasLost = false
    private var lastCaptured = Instant.zero
    /// Between the last two pictures.
    private var step = Duration.zero
    /// Of what is live: the end of an event that no picture brings.
    private var clock: (any PipelineClock)?
    private var waker = Waker {}
    private var ending: Timer?

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if let include = zones.include, include.list.isEmpty {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("zones").key("include"),
                    "no polygon is given, and without \"include\" motion counts everywhere",
                    fix: "write [[0, 0], [1, 0], [1, 0.5]], or delete \"include\""))
        }
    }

    func output(for input: Format) throws -> Format { input }

    /// Luma, as small as the analysis needs, and while only events are wanted as seldom; of pictures that pass what is
    /// asked of them, too.
    func want(_ downstream: Want) -> Want {
        let own = settings.columns
        guard downstream.format?.kind == .event else {
            return Want(
                maxWidth: downstream.maxWidth.map { max($0, own) }, maxHeight: downstream.maxHeight,
                maxRate: downstream.maxRate,
                lumaOnly: downstream.lumaOnly)
        }
        return Want(maxWidth: own, maxRate: analyzeFps.rate, lumaOnly: true)
    }

    private var settings: MotionSettings {
        var settings = MotionSettings(sensitivity)
        if let threshold { settings.threshold = threshold }
        if let minArea { settings.minimumArea = minArea.fraction }
        if let columns { settings.columns = columns }
        return settings
    }

    mutating func open(_ context: borrowing Context) throws {
        speaker = MotionSpeaker(
            node: context.id, time: CaptureTime(isLive: context.isLive, clock: context.clock), isLive: context.isLive,
            zones: zones.include)
        pool = context.pool
        clock = context.isLive ? context.clock : nil
        waker = context.waker
        var zones = zones
        zones.mask = mask
        detector = MotionDetector(settings, zones: zones)
        episode = MotionEpisode(gap: eventGap, minimum: minDuration)
        pace = AnalysisPace(analyzeFps)
    }

    mutating func begin(_ input: Format) throws { beginAnew() }

    private mutating func beginAnew() {
        detector.reset()
        pace = AnalysisPace(analyzeFps)
        regions = []
    }

    mutating func gap(_ gap: Gap) {
        guard gap.isLost else { return }
        wasLost = true
        awaitEnd()
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        let captured = frame.captured
        step = wasLost ? .zero : captured - lastCaptured
        lastCaptured = captured
        if wasLost {
            wasLost = false
            beginAnew()
            if let step = episode.end() { say(step, at: captured, to: &output) }
        }
        let isWatched = output.isWanted(Self.events) || output.isWanted(Self.debug)
        if isWatched, !frame.isDamaged, pace.takes(captured) { examine(frame, to: &output) }
        guard output.isWanted(Self.frames) else { return }
        if !regions.isEmpty { frame.regions += regions }
        output.emit(frame, on: Self.frames)
    }

    private mutating func examine(_ frame: Frame, to output: inout Output) {
        let captured = frame.captured
        plane.take(frame, target: settings.columns)
        let observation = detector.look(plane, at: captured)
        if observation.isMotion {
            best.saw(frame, observation.regions, pool: pool)
        } else if !episode.isActive {
            best.forget()
        }
        let step = episode.saw(observation, at: captured)
        regions = episode.isActive ? observation.regions.map { $0.labelled(speaker?.node) } : []
        if let step { say(step, at: captured, to: &output) }
        if output.isWanted(Self.debug), let pool,
            let picture = MotionViewPainter.paint(detector.view, like: frame, pool: pool)
        {
            output.emit(picture, on: Self.debug)
        }
    }

    /// Ends an event that has had its time without a picture: the camera is lost, or stalls.
    mutating func wake(to output: inout Output) throws {
        guard let clock, let due else { return }
        let now = clock.now
        guard now >= due else { return awaitEnd() }
        if let step = episode.end() { say(step, at: now, to: &output) }
    }

    /// When what goes on ends though no picture comes: as with pictures, but while they come it is theirs to end it.
    private var due: Instant? {
        guard let end = episode.endsAt else { return nil }
        return wasLost ? end : max(end, lastCaptured + max(.seconds(1), step * 2))
    }

    private mutating func awaitEnd() {
        guard let clock, let due else { return }
        ending?.cancel()
        let waker = waker
        ending = clock.schedule(at: due) { waker.wake() }
    }

    mutating func finish() throws { ending?.cancel() }

    mutating func drain(to output: inout Output) throws {
        // Just after the last picture, with which all that was captured up to it had come.
        if let step = episode.end() { say(step, at: lastCaptured + .nanoseconds(1), to: &output) }
    }

    private mutating func say(_ step: MotionEpisode.Step, at captured: Instant, to output: inout Output) {
        guard var event = speaker?.event(step, at: captured) else { return }
        switch step {
        case .began:
            event = best.show(event)
            awaitEnd()
        case .goesOn: break
        case .ended:
            event = best.show(event)
            best.forget()
            regions = []
        }
        output.emit(event, on: Self.events)
    }
}

extension Region {
    /// The same region with a label, unless it has one.
    fileprivate func labelled(_ text: String?) -> Region {
        var region = self
        region.label = label ?? text
        return region
    }
}
