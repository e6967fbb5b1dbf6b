/// Drives one node by hand, as the runtime would, with a manual clock and no thread: for the tests of authors.
///
///     let harness = try NodeHarness(Threshold.self, options: ["level": "99"])
///     try harness.push(frame)
///     try harness.end()
///     #expect(harness.frames.count == 1)
///
/// It does what the runtime does around a turn: it opens the node, begins a format before its first item, drains the
/// node before the format changes and at the end, tells it gaps, passes them on in order behind what is held, lets an
/// input that was neither emitted nor held leave a gap, hands marks on, and finishes the node exactly once.
///
/// Not Sendable: one test, one thread.
public final class NodeHarness {
    /// What the node's type says of itself: ports, options, summary.
    public let descriptor: NodeDescriptor
    /// The node's clock. Turn it with `advance` and `run`, so that the node is called when it asked to be.
    public let clock: ManualClock
    /// The pool that the node takes pictures from: `pool.usedBytes` tells what is still held of them.
    public let pool: FramePool
    /// What the node asked for last, of a source or a sink.
    public private(set) var next = Next.more
    /// Whether the node was opened and not yet finished.
    public private(set) var isOpen = false
    /// Until when a source said last, by `Output.rest(until:)`, that nothing is due; an item ends it.
    private var restsUntil: Instant?

    private let registration: Registration
    private let box: NodeBox
    private let surroundings: HarnessSurroundings
    private var ledgers: [EmissionLedger]
    private var records: [EmissionRecord]
    private var inputFormat: Format?
    /// Of a mixer: when it is called, and what it is called with.
    private var ticks: TickGrid?
    private var parts: [Parts.Part]
    private let isLive: Bool

    /// Makes a node and opens it.
    ///
    /// - Parameters:
    ///   - options: As they stand in a pipeline file.
    ///   - isLive: What the node is told of its sources.
    ///   - isGated: Whether the node is told that it has a `when`.
    ///   - feeds: What the node is told that its main input names; of a mixer two by themselves.
    ///   - connected: The inputs that the node is told are connected.
    ///   - services: What `context.service` finds.
    /// - Throws: `CampipeError` of kind `.configuration` with the faults of the options; what `open` throws.
    public init(
        _ registration: Registration, options: Value.ValueMap = [:], id: String = "node", isLive: Bool = false,
        isGated: Bool = false, feeds: [Feed]? = nil, connected: Set<String> = [],
        services: Services = Services(), clock: ManualClock = ManualClock(), pool: FramePool = FramePool()
    ) throws {
        let faults = registration.inspect(options).faults.filter { $0.severity == .error }
        guard faults.isEmpty else {
            let sentences = faults.map { "\($0.path): \($0.sentence); \($0.fix)" }
            throw CampipeError(.configuration, sentences.joined(separator: "\n"))
        }
        self.registration = registration
        self.isLive = isLive
        self.clock = clock
        self.pool = pool
        box = registration.make(options)
        descriptor = box.descriptor
        surroundings = HarnessSurroundings()
        ticks = box.rate.map(TickGrid.init)
        let feeds = feeds ?? (ticks == nil ? [] : [Feed(id: "first"), Feed(id: "second")])
        parts = feeds.map { _ in Parts.Part() }
        // What befalls a node answers for none of its inputs.
        ledgers = descriptor.outputs.prefix(descriptor.supervision ?? .max).map { [box] _ in
            EmissionLedger(holds: 0, reason: box.omits)
        }
        records = descriptor.outputs.map(EmissionRecord.init)
        try box.open(
            surroundings.context(
                id: id, isLive: isLive, isGated: isGated, feeds: feeds, connected: connected, clock: clock,
                pool: pool, services: services))
        isOpen = true
    }

    /// A source, opened. Throws as the longer `init` does.
    public convenience init<N: Source>(_ type: N.Type, options: Value.ValueMap = [:], isLive: Bool = false) throws {
        try self.init(Registration(source: type), options: options, isLive: isLive)
    }
    /// A transform, opened. Throws as the longer `init` does.
    public convenience init<N: Transform>(_ type: N.Type, options: Value.ValueMap = [:], isLive: Bool = false) throws {
        try self.init(Registration(transform: type), options: options, isLive: isLive)
    }
    /// A join, opened. Throws as the longer `init` does.
    public convenience init<N: Join>(_ type: N.Type, options: Value.ValueMap = [:], isLive: Bool = false) throws {
        try self.init(Registration(join: type), options: options, isLive: isLive)
    }
    /// A sink, opened. Throws as the longer `init` does.
    public convenience init<N: Sink>(_ type: N.Type, options: Value.ValueMap = [:], isLive: Bool = false) throws {
        try self.init(Registration(sink: type), options: options, isLive: isLive)
    }

    deinit { if isOpen { try? box.finish() } }

    // MARK: What goes in

    /// Hands the node an item of its main input, or of another input of a sink.
    ///
    /// - Returns: What a sink asks for; `.ended` once the node is finished.
    /// - Throws: What the node throws; the item then leaves a gap `failed`, and the next may follow.
    @discardableResult
    public func push<T: Item>(_ item: consuming T, on port: In<T>? = nil) throws -> Next {
        guard isOpen else { return .ended }
        if descriptor.contract == .sink {
            return try consume(Self.storage(of: consume item), port: port.map { inputIndex($0.name) } ?? 0)
        }
        try process(Self.storage(of: consume item), sides: [:])
        return .more
    }

    /// Hands a join an item of its primary input, with what its sides captured since the one before.
    ///
    /// - Parameter sides: Items by the name of the input, oldest first; a name that there is no input of traps.
    /// - Throws: What the node throws; the item then leaves a gap `failed`, and the next may follow.
    public func push<T: Item>(_ item: consuming T, sides: [String: [any Item]]) throws {
        guard isOpen else { return }
        for name in sides.keys { _ = inputIndex(name) }
        try process(Self.storage(of: consume item), sides: sides.mapValues { $0.map(\.storage) })
    }

    /// Hands a mixer an item of one reference of its input; it is had by the next call.
    public func push<T: Item>(_ item: consuming T, part index: Int) {
        parts[index] = Parts.Part(Self.storage(of: consume item))
    }

    /// Says of one reference of a mixer's input how it is.
    public func set(_ condition: Parts.Condition, part index: Int) { parts[index].condition = condition }

    /// Calls a mixer with what it was handed since the call before. Throws what it throws.
    public func mix(at instant: Instant) throws {
        guard isOpen else { return }
        box.ports.emitted = 0
        var output = Output(box.ports)
        let now = parts
        for index in parts.indices { parts[index].newest = nil }
        defer { collect() }
        try box.mix(Parts(now), at: instant, to: &output)
    }

    /// Begins a format before its first item; items do so by themselves.
    ///
    /// - Throws: `CampipeError` of kind `.unsupported` where the node does not accept it; what the node throws.
    public func begin(_ format: Format) throws {
        guard isOpen, inputFormat != format else { return }
        guard let input = descriptor.mainInput, input.formats.contains(where: { $0.accepts(format) }) else {
            throw CampipeError(.unsupported, "\(descriptor.name) does not accept \(format)")
        }
        if inputFormat != nil { try drain() }
        inputFormat = format
        try box.begin(format)
        guard descriptor.contract != .sink else { return }
        box.ports.announce(try box.output(for: format), port: 0)
        collect()
        for index in ledgers.indices { ledgers[index].holds = box.holds }
    }

    /// Tells the node of a gap on its main input.
    public func gap(_ gap: Gap) {
        guard isOpen else { return }
        if ticks != nil {
            // A mixer goes at its own pace: what an input misses leaves no gap in what it makes.
            if gap.isLost, !parts.isEmpty { parts[0].condition = .lost }
            return
        }
        box.gap(gap)
        for index in ledgers.indices {
            if let gap = ledgers[index].gapCame(gap) { records[index].append(gap) }
        }
    }

    /// Tells a sink that its `when` changed.
    public func gate(_ change: GateChange) throws { if isOpen { try box.gate(change) } }

    /// Ends the stream: drains the node, ends its outputs and finishes it. Once; more calls do nothing.
    public func end(_ cause: EndCause? = nil) throws {
        guard isOpen else { return }
        do { try drain() } catch {
            try? finish()
            throw error
        }
        box.ports.append(end: cause)
        collect()
        try finish()
    }

    // MARK: Time

    /// Moves the clock on, calling the node whenever it asked to be called.
    ///
    /// - Throws: What the node throws in a turn; the clock then stands at that time.
    public func advance(by duration: Duration) throws { try run(until: clock.now + duration) }

    /// Calls the node whenever it is due, until an instant, an end, or so many turns.
    ///
    /// Without an instant it goes on until nothing is due any more.
    ///
    /// - Parameters:
    ///   - target: Where the clock stands at the end: `.zero + .seconds(5)`.
    ///   - limit: How many turns at most, for a source that never ends.
    /// - Throws: What the node throws in a turn.
    public func run(until target: Instant = .distantFuture, turns limit: Int = 10_000) throws {
        var turns = 0
        while isOpen, turns < limit {
            if isDue {
                turns += 1
                try turn()
                continue
            }
            let asked: Instant? = if case .waitUntil(let time) = next { time } else { nil }
            guard let time = [asked, clock.nextTimer].compactMap(\.self).min(), time <= target else { break }
            clock.advance(to: time)
        }
        if turns < limit, target < .distantFuture { clock.advance(to: target) }
    }

    /// One turn of a source, or one wake-up of a sink or a transform.
    public func turn() throws {
        surroundings.takeWake()
        if descriptor.contract == .source {
            defer {
                if box.ports.emitted > 0 { restsUntil = nil }
                if let instant = box.ports.restsUntil.take() { restsUntil = instant }
                collect()
            }
            box.ports.emitted = 0
            var output = Output(box.ports)
            next = try box.next(to: &output)
        } else if descriptor.contract == .sink {
            next = try box.wake()
        } else {
            box.ports.inherited = isLive ? .live : []
            defer {
                box.ports.inherited = []
                collect { ledger, total in
                    ledger.woke(emitted: total)
                    return nil
                }
            }
            box.ports.emitted = 0
            var output = Output(box.ports)
            try box.wake(to: &output)
        }
        if next == .ended { try end() }
    }

    /// For how long from now on a source said that nothing is due, by `Output.rest(until:)`; nil when it said nothing
    /// since its last item, or when that time is over.
    ///
    /// While the clock stands at a time between two items of a source that keeps time, this is what is left:
    ///
    ///     try harness.advance(by: .seconds(50))
    ///     #expect(harness.rest == .seconds(10))
    public var rest: Duration? { restsUntil.flatMap { $0 > clock.now ? $0 - clock.now : nil } }

    // MARK: What came out

    /// Everything that came out of an output since the start, in order; of the main one without a name.
    public func emissions(on port: String? = nil) -> [Emission] {
        records.isEmpty ? [] : records[outputIndex(port)].emissions
    }

    /// The items of an output that were not taken yet; without a name of the first that carries this kind.
    public func items<T: Item>(_ type: T.Type, on port: String? = nil) -> [T] {
        outputIndex(of: type, port).map { records[$0].items.map { T(storage: $0) } } ?? []
    }

    /// Takes the items of an output out of the harness, which keeps no reference to them.
    public func takeItems<T: Item>(_ type: T.Type, on port: String? = nil) -> [T] {
        outputIndex(of: type, port).map { records[$0].takeItems().map { T(storage: $0) } } ?? []
    }

    /// The packets that came out and were not taken, oldest first, of the first output that carries packets.
    public var packets: [Packet] { items(Packet.self) }
    /// The frames that came out and were not taken, oldest first, of the first output that carries frames.
    public var frames: [Frame] { items(Frame.self) }
    /// The events that came out and were not taken, oldest first, of the first output that carries events; see `told` too.
    public var events: [Event] { items(Event.self) }

    /// What the node said that it removed, by reason.
    public var removed: [DropReason: Int] {
        box.ports.removed.reduce(into: surroundings.removed) { $0[$1.reason, default: 0] += $1.count }
    }
    /// What the node said through `context.events`.
    public var told: [Event] { surroundings.told }
    /// What the node said in its log.
    public var logged: [Log.Entry] { surroundings.logged }
    /// What a sink wants now, by subscription.
    public var wants: [Demand.ID: Want] { surroundings.wants }
    /// Says whether anybody wants an output; at the start all are wanted.
    public func setWanted(_ isWanted: Bool, on port: String? = nil) {
        box.ports.ports[outputIndex(port)].isWanted = isWanted
    }
    /// What the node asks of its main input so that `downstream` can be had.
    public func want(_ downstream: Want) -> Want { box.want(downstream) }
    /// How many items the node says it keeps back at most.
    public var holds: Int { box.holds }

    // MARK: For the conformance suite

    /// Hands over a header, so that nobody else holds it, and to a join what its sides captured.
    func feed(_ storage: consuming ItemStorage, sides: [String: [ItemStorage]]) throws {
        guard isOpen else { return }
        if descriptor.contract == .sink {
            _ = try consume(consume storage, port: 0)
        } else {
            try process(consume storage, sides: sides)
        }
    }

    /// Drains the node though its stream goes on.
    ///
    /// - Returns: How many items it emitted.
    func drainNow() throws -> Int {
        try drain()
        return box.ports.emitted
    }

    /// Whether only the node's waker can make it go on.
    var isIdle: Bool {
        if case .waitUntil = next { return false }
        return isOpen && !isDue && clock.nextTimer == nil
    }

    /// Waits until another thread calls the node's waker.
    ///
    /// - Returns: Whether it did within the host's time.
    func waitForWake(within limit: Duration) -> Bool { surroundings.waitForWake(within: limit) }

    /// Takes the items of one output.
    func takeItems(ofOutput index: Int) -> [ItemStorage] { records[index].takeItems() }

    /// What the node says comes out when this goes in.
    func output(for format: Format) throws -> Format { try box.output(for: format) }

    // MARK: Turns

    private var isDue: Bool {
        if surroundings.isWoken { return true }
        return switch next {
        case .more: descriptor.contract == .source
        case .waitUntil(let time): time <= clock.now
        case .wait, .ended: false
        }
    }

    private func consume(_ storage: consuming ItemStorage, port: Int) throws -> Next {
        if port == 0 { try begin(storage.streamFormat) }
        next = try box.consume(consume storage, port: port)
        if next == .ended { try end() }
        return next
    }

    private func process(_ storage: consuming ItemStorage, sides: [String: [ItemStorage]]) throws {
        let captured = storage.captured
        if ticks != nil { return try process(consume storage, captured) }
        do {
            try begin(storage.streamFormat)
            box.ports.inherited = storage.flags.intersection(.inherited)
            defer { box.ports.inherited = [] }
            box.ports.emitted = 0
            var output = Output(box.ports)
            if descriptor.contract == .join {
                let names = descriptor.inputs.dropFirst().map(\.name)
                let aligned = Sides(names: names, items: names.map { sides[$0] ?? [] })
                try box.process(consume storage, with: aligned, to: &output)
            } else {
                try box.process(consume storage, to: &output)
            }
        } catch {
            collect { ledger, _ in ledger.gapCame(Gap(.failed, at: captured)) }
            throw error
        }
        collect { ledger, total in ledger.consumed(captured: captured, emitted: total) }
    }

    /// An item of a mixer's first input, and the calls that are due then.
    private func process(_ storage: consuming ItemStorage, _ captured: Instant) throws {
        while let next = ticks?.next, next < captured {
            ticks?.had(next)
            try mix(at: next)
        }
        if !parts.isEmpty { parts[0] = Parts.Part(storage) }
        if let next = ticks?.next, next == captured {
            ticks?.had(next)
            try mix(at: next)
        }
    }

    private func drain() throws {
        guard descriptor.contract == .transform || descriptor.contract == .join else { return }
        defer { collect { ledger, total in ledger.drained(emitted: total) } }
        box.ports.emitted = 0
        var output = Output(box.ports)
        try box.drain(to: &output)
    }

    private func finish() throws {
        isOpen = false
        next = .ended
        try box.finish()
    }

    /// Moves what was emitted to the records, and behind it the gap that the ledger answers with.
    private func collect(_ gap: (inout EmissionLedger, Int) -> Gap? = { _, _ in nil }) {
        for index in records.indices {
            records[index].take(&box.ports.ports[index])
            guard index < ledgers.count else { continue }
            if let gap = gap(&ledgers[index], box.ports.ports[index].emitted) { records[index].append(gap) }
        }
    }

    private static func storage<T: Item>(of item: consuming T) -> ItemStorage { item.storage }

    private func inputIndex(_ name: String) -> Int {
        guard let index = descriptor.inputs.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("\(descriptor.name) has no input \"\(name)\"; it has \(descriptor.inputs.map(\.name))")
        }
        return index
    }

    private func outputIndex(_ name: String?) -> Int {
        guard let index = records.firstIndex(where: { name == nil || $0.port.name == name }) else {
            preconditionFailure(
                "\(descriptor.name) has no output \"\(name ?? "")\"; it has \(records.map(\.port.name))")
        }
        return index
    }

    private func outputIndex<T: Item>(of type: T.Type, _ name: String?) -> Int? {
        if let name { return outputIndex(name) }
        return records.firstIndex { $0.port.kind == T.kind }
    }
}
