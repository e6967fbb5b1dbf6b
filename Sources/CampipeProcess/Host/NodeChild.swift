package import CampipeKit

/// A node that runs as a child: gives it what comes, and hands on what it makes. What `exec` and isolated nodes share.
///
/// Each call asks the child and waits for its answer, as long as the command says; so the node that owns it has a thread
/// of its own. A child that ends, says what it may not, or does not answer is ended, and the call throws; a new one is
/// another `NodeChild`.
@safe package final class NodeChild {
    /// Takes what the child made, in order, while a call waits.
    package enum Made {
        case format(port: Int, Format)
        case frame(port: Int, Frame)
        case packet(port: Int, Packet)
        case event(port: Int, Event)
        case gap(port: Int, count: Int)
        /// A source says that all is well, and that nothing is due before then.
        case rest(until: Instant)
    }

    private let command: ChildCommand
    private let process: ChildProcess
    private let channel: ChildChannel
    private let memory: SharedMemory?
    private let surroundings: Surroundings
    private let contract: NodeDescriptor.Contract
    private let outputs: [PortDescriptor]
    private let align: Int
    private var speech: ChildSpeech
    private var times = TimeCheck()
    private var mendedTold = 0
    private var mendedNote = RecurringNote()
    /// The inputs that were not answered, for what shows best what an event says.
    private var pictures: [ItemStorage] = []
    private var hasEnded = false
    /// Why it was ended.
    private var failure: CampipeError?
    /// The child said that it wants no more, or gives no more.
    package private(set) var isOver = false
    /// Whether it is gone: it ended, or was ended for what it did.
    package var isGone: Bool { hasEnded }
    /// What is missing in front of the next input.
    private var missing: Gap?

    private struct Surroundings {
        let id: String
        let isLive: Bool
        let clock: any PipelineClock
        let captureTime: CaptureTime
        let log: Log
        let pool: FramePool
        let stop: StopFlag
    }

    /// Starts a child and waits until it is ready.
    ///
    /// - Parameters:
    ///   - sharesMemory: Whether pixels go through memory that both have.
    /// - Throws: `.unavailable` when it cannot be started, `.timedOut` when it is not ready in time, `.failed` when it
    ///   ends before, `.badData` or `.unsupported` for what it says.
    package init(
        _ command: ChildCommand, hello: consuming Hello, sharesMemory: Bool = false, context: borrowing Context
    ) throws(CampipeError) {
        self.command = command
        contract = hello.contract
        outputs = hello.outputs
        memory = sharesMemory ? try SharedMemory() : nil
        align = sharesMemory ? PixelBuffer.alignment : 1
        surroundings = Surroundings(
            id: context.id, isLive: context.isLive, clock: context.clock, captureTime: context.captureTime,
            log: context.log, pool: context.pool, stop: context.stop)
        hello.align = align
        if sharesMemory { hello.memory = (SharedMemory.byteCount, SharedMemory.half) }
        speech = ChildSpeech(
            outputs: outputs, isSource: contract == .source, align: align,
            memory: sharesMemory ? SharedMemory.half..<SharedMemory.byteCount : 0..<0)
        process = try ChildProcess(command, memory: memory?.descriptor)
        channel = ChildChannel(process, clock: context.clock, log: context.log)
        let text = hello.map.json
        channel.send(MessageHeader(.hello), text: text)
        try awaitReady()
    }

    private func awaitReady() throws(CampipeError) {
        let deadline = surroundings.clock.now + command.startLimit
        while true {
            guard surroundings.clock.now <= deadline, let (message, _) = try next(by: deadline) else {
                throw ended(
                    CampipeError(.timedOut, "the program was not ready within \(command.startLimit.optionText ?? "")"))
            }
            switch message {
            case .ready: return
            case .failed(let text, _): throw ended(CampipeError(.failed, "the program could not begin: \(text)"))
            default: break
            }
        }
    }

    deinit { if !hasEnded { process.kill() } }

    /// What an output carries, as far as the child said.
    package func format(_ port: Int) -> Format? { speech.format(port) }

    /// How many items may be given before the first is answered.
    package var credit: Int { memory == nil ? speech.credit : 1 }

    /// Of the child, and of the group of all that it started.
    var processID: Int32 { process.id }

    /// How many items a child of our own may keep back.
    var holds: Int { speech.holds }

    // MARK: Asking

    /// Tells the child the format of an input, and waits until it has taken it.
    package func begin(_ format: Format, port: Int = 0, _ make: (Made) throws -> Void) throws {
        // What is not known whole is told again, whole, in front of the first item.
        guard format.isWhole else { return }
        times.restart()
        var header = MessageHeader(.format)
        header.port = UInt8(truncatingIfNeeded: port)
        channel.send(header, text: FormatText.map(format, align: align).json)
        speech.asked()
        try settle(to: 0, make)
    }

    /// Gives the child an item; waits until it may be given another.
    ///
    /// - Parameter wanted: Bit n says whether anybody wants output n.
    package func give(
        _ item: ItemStorage, port: Int = 0, wanted: UInt8 = 0xFF, _ make: (Made) throws -> Void
    ) throws {
        tellMissing()
        let given = ItemTimes(item)
        times.gave(given)
        var header = MessageHeader(.item)
        header.port = UInt8(truncatingIfNeeded: port)
        header.wanted = wanted
        given.write(to: &header)
        if item.flags.contains(.damaged) { header.flags.insert(.damaged) }
        switch item.kind {
        case .packet: send(Packet(storage: item), &header)
        case .frame: try send(Frame(storage: item), &header)
        case .event: channel.send(header, text: EventText.map(Event(storage: item)).json)
        }
        speech.asked()
        if contract == .transform { pictures.append(item) }
        try settle(to: credit - 1, make)
    }

    /// Something is missing of its main input; it is told with the next item, as one gap.
    package func lose(_ gap: Gap) { missing.merge(gap) }

    private func tellMissing() {
        guard let gap = missing else { return }
        missing = nil
        var header = MessageHeader(.gap)
        header.captured = gap.through.nanoseconds
        channel.send(
            header,
            text: [
                "count": .integer(gap.count), "reasons": .list(gap.reasons.list.map { .text($0.name) }),
            ].json)
    }

    /// Has the child emit what it holds.
    package func drain(_ make: (Made) throws -> Void) throws {
        guard !hasEnded, !isOver else { return }
        channel.send(MessageHeader(.drain))
        speech.asked()
        try settle(to: 0, make)
    }

    /// Of a source: hands on what comes within `limit`, a few items at most.
    package func collect(within limit: Duration, _ make: (Made) throws -> Void) throws {
        if speech.granted < 4 {
            var header = MessageHeader(.credit)
            header.place = UInt64(4 - speech.granted)
            channel.send(header)
            speech.grant(4 - speech.granted)
        }
        let deadline = surroundings.clock.now + limit
        var taken = 0
        while taken < 4, !isOver {
            guard let (meaning, message) = try next(by: taken == 0 ? deadline : surroundings.clock.now) else { return }
            if case .item = meaning { taken += 1 }
            try hand(meaning, message, make)
            // One that only talks does not keep the turn.
            if surroundings.clock.now > deadline { return }
        }
    }

    /// Tells the child that nothing more comes, and ends it if it does not end by itself.
    package func finish() {
        guard !hasEnded else { return }
        hasEnded = true
        channel.send(MessageHeader(.finish))
        channel.flush()
        process.closeInput()
        waitForEnd(command.endLimit)
        if !process.hasEnded {
            surroundings.log.warning("the program does not end by itself, and is ended")
            process.terminate()
            waitForEnd(.milliseconds(500))
        }
        process.kill()
    }

    /// Looks at what the child says until it has ended. What time passes is told by the waits alone, since it must end
    /// whatever clock there is.
    private func waitForEnd(_ limit: Duration) {
        for _ in 0..<max(1, Int(limit.seconds * 100)) where !process.hasEnded {
            _ = try? channel.receive(by: .distantPast) { _ throws(CampipeError) in }
            if !process.hasEnded { process.pause() }
        }
    }

    // MARK: Listening

    /// Hands on what the child makes until no more than so many of what it was asked are unanswered.
    private func settle(to most: Int, _ make: (Made) throws -> Void) throws {
        let deadline = surroundings.clock.now + command.answerLimit
        while speech.unanswered > most, !isOver {
            // One that only talks is no better than one that is silent.
            guard surroundings.clock.now <= deadline, let (meaning, message) = try next(by: deadline) else {
                throw ended(
                    CampipeError(
                        .timedOut, "the program did not answer within \(command.answerLimit.optionText ?? "")",
                        // One that shares memory is a node of campipe's own, without such an option.
                        fix: memory == nil ? "raise answer_limit if it needs longer" : nil))
            }
            try hand(meaning, message, make)
        }
        if most == 0 { pictures = [] }
        tellMended()
    }

    private func hand(
        _ meaning: ChildSpeech.Meaning, _ message: ChildChannel.Message, _ make: (Made) throws -> Void
    ) throws {
        switch meaning {
        case .ready: break
        case .format(let port, let format): try make(.format(port: port, format))
        case .gap(let port, let count): try make(.gap(port: port, count: count))
        case .item(let item):
            if let made = try made(item, message) { try make(made) }
        case .done(let isOver):
            if !pictures.isEmpty { pictures.removeFirst() }
            self.isOver = self.isOver || isOver
        case .failed(let text, let isOver):
            let failure = CampipeError(isOver ? .failed : .badData, "the program failed: \(text)")
            throw isOver ? ended(failure) : failure
        case .log(let level, let text):
            surroundings.log.log(min(level, .warning), "the program says", ["line": PrintableText.escaping(text)])
        case .rest(let duration): try make(.rest(until: surroundings.clock.now + duration))
        }
    }

    private func next(
        by deadline: Instant
    ) throws(CampipeError) -> (ChildSpeech.Meaning, ChildChannel.Message)? {
        guard !hasEnded else { throw failure ?? CampipeError(.failed, "the program has ended") }
        do throws(CampipeError) {
            let speech = self.speech
            let message = try channel.receive(by: deadline, stop: stopsWaiting) { header throws(CampipeError) in
                try speech.admit(header)
            }
            guard let message else { return nil }
            return (try self.speech.take(message.header, text: message.text), message)
        } catch {
            var failure = error
            if [.badData, .unsupported].contains(failure.kind) {
                failure.message = "the program is not understood: " + failure.message
            }
            throw ended(failure)
        }
    }

    /// A source stops at once; who works at an item has it answered.
    private var stopsWaiting: StopFlag? { contract == .source ? surroundings.stop : nil }

    /// The child is of no use any more.
    private func ended(_ failure: CampipeError) -> CampipeError {
        hasEnded = true
        self.failure = failure
        process.kill()
        pictures = []
        return failure
    }

    private func tellMended() {
        let count = times.mended - mendedTold
        guard count > 0, let told = mendedNote.happened(count, at: surroundings.clock.now) else {
            mendedTold = times.mended
            return
        }
        mendedTold = times.mended
        surroundings.log.warning("the program gave times that cannot be, which were put right", ["items": told])
    }

    // MARK: Items

    private func send(_ packet: Packet, _ header: inout MessageHeader) {
        if packet.isKeyframe { header.flags.insert(.key) }
        if packet.isDisposable { header.flags.insert(.disposable) }
        header.duration = packet.duration?.nanoseconds ?? 0
        header.dataCount = packet.data.count
        share(&header)
        unsafe write(header) { target in unsafe packet.data.withBytes { unsafe target.copyMemory(from: $0) } }
    }

    private func send(_ frame: Frame, _ header: inout MessageHeader) throws(CampipeError) {
        let layout = try PixelLayout(frame.pixel, frame.size, align: align)
        header.dataCount = layout.byteCount
        share(&header)
        let text: [UInt8] = frame.regions.isEmpty ? [] : ["regions": .list(frame.regions.map(\.value))].json
        unsafe write(header, text: text) { target in unsafe layout.pack(frame.pixels, into: target) }
    }

    private func share(_ header: inout MessageHeader) {
        guard memory != nil, header.dataCount > 0 else { return }
        // Where memory is shared one item at a time is given, so that all of our half is free again.
        header.flags.insert(.shared)
        header.place = 0
    }

    private func write(
        _ header: MessageHeader, text: [UInt8] = [], _ data: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        guard header.flags.contains(.shared), let memory else {
            return unsafe channel.send(header, text: text) { target in unsafe data(target) }
        }
        let place = Int(header.place)
        unsafe memory.withBytes(place..<place + header.dataCount) { target in unsafe data(target) }
        channel.send(header, text: text)
    }

    private func made(_ item: ChildSpeech.Item, _ message: ChildChannel.Message) throws(CampipeError) -> Made? {
        let isFrame = item.format.kind == .frame
        let times: ItemTimes
        if contract == .source {
            var timebase = Timebase.nanoseconds
            if case .packets(let packets) = item.format { timebase = packets.timebase }
            times = self.times.ofSource(
                item.header, timebase: timebase, isLive: surroundings.isLive, now: surroundings.clock.now)
        } else {
            guard let found = self.times.ofTransform(item.header, port: item.port, isInOrder: isFrame) else {
                return nil
            }
            times = found
        }
        switch item.format {
        case .events: return .event(port: item.port, try event(item, times))
        case .packets(let format):
            let count = item.header.dataCount
            let data = unsafe withData(item, message) { source in
                unsafe Bytes(count: count) { unsafe $0.copyMemory(from: source) }
            }
            var packet = Packet(
                data, format: format, captured: times.captured, pts: times.pts, dts: times.dts,
                duration: item.header.duration > 0 ? .nanoseconds(item.header.duration) : nil,
                isKeyframe: item.header.flags.contains(.key), isDisposable: item.header.flags.contains(.disposable))
            if item.header.flags.contains(.damaged) { packet.isDamaged = true }
            return .packet(port: item.port, packet)
        case .frames(let format):
            guard let layout = item.layout else { return nil }
            let pixels = surroundings.pool.buffer(layout.pixel, layout.size)
            unsafe withData(item, message) { source in unsafe layout.unpack(source, into: pixels) }
            var frame = Frame(
                pixels, range: format.range, matrix: format.matrix, rate: format.rate, captured: times.captured,
                pts: times.pts)
            if item.header.flags.contains(.damaged) { frame.isDamaged = true }
            if let regions = item.text.list("regions") { frame.regions = regions.prefix(256).compactMap(Region.init) }
            return .frame(port: item.port, frame)
        }
    }

    /// An event with the picture at hand, as the nodes of this process give theirs.
    private func event(_ item: ChildSpeech.Item, _ times: ItemTimes) throws(CampipeError) -> Event {
        var event = try EventText.event(item.text, captured: times.captured, node: surroundings.id)
        if surroundings.isLive { event = event.at(surroundings.captureTime.wallTime(at: event.captured)) }
        guard !event.isRepeat, event.phase != .ended else { return event }
        let shown = pictures.first { $0.captured == event.captured } ?? pictures.first
        switch shown?.kind {
        case .frame?:
            guard let frame = shown.map({ Frame(storage: $0) }) else { return event }
            return frame.origin.map { event.showing($0) } ?? event.showing(frame)
        case .packet?:
            guard let packet = shown.map({ Packet(storage: $0) }), packet.format.isIntraCoded else { return event }
            return event.showing(packet)
        default: return event
        }
    }

    private func withData<Result>(
        _ item: ChildSpeech.Item, _ message: ChildChannel.Message, _ use: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard item.header.flags.contains(.shared), let memory else {
            return unsafe channel.withData(message.data) { unsafe use($0) }
        }
        let place = Int(item.header.place)
        return unsafe memory.withBytes(place..<place + item.header.dataCount) { unsafe use(UnsafeRawBufferPointer($0)) }
    }
}

extension Format {
    /// Whether nothing is left open that who reads its items must know.
    fileprivate var isWhole: Bool {
        switch self {
        case .events: true
        case .frames(let frames): frames.pixel != nil && frames.size != nil
        case .packets(let packets): packets.coding != nil
        }
    }
}
