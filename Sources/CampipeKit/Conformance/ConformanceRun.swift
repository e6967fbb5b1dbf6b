/// One stream through one new node, and what was seen of it.
struct ConformanceRun {
    /// What is fed, and when it is disturbed.
    struct Plan {
        /// nil of a source.
        var format: Format?
        var count = 24
        /// Before which items a gap comes; the number of items is after the last one.
        var gapsBefore: Set<Int> = []
        /// Before which items the camera is lost.
        var lostBefore: Set<Int> = []
        /// Before which items the size changes.
        var changesBefore: Set<Int> = []
        /// Whether the node is drained twice before the end, to see that the second time brings nothing.
        var drainsTwice = false
        /// Whether it looks for leaks: over small items, and at nothing of what comes out but whether it goes.
        var isLong = false

        /// The size that an item has, by when it was captured; nil where no item of the plan was.
        func variant(capturedAt instant: Instant) -> Int? {
            guard let number = (0..<count).first(where: { ConformanceInputs.captured($0) == instant }) else {
                return nil
            }
            return changesBefore.count { $0 <= number } % 2
        }

        /// Gaps, losses and changes of the size at any moment and on one another, drawn from a seed.
        static func disturbed(_ seed: UInt64) -> Plan {
            var state = seed
            /// Knuth's multiplier; the upper bits are the random ones.
            func draw(_ bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % bound
            }
            var plan = Plan(count: 12 + draw(20))
            for _ in 0..<(1 + draw(6)) { plan.gapsBefore.insert(draw(plan.count + 1)) }
            for _ in 0..<(1 + draw(3)) { plan.lostBefore.insert(draw(plan.count)) }
            for _ in 0..<(1 + draw(4)) { plan.changesBefore.insert(1 + draw(plan.count - 1)) }
            // Two at one place are what most likely was not thought of.
            if let place = plan.changesBefore.min(), seed % 2 == 0 { plan.lostBefore.insert(place) }
            return plan
        }
    }

    /// What came out, comparable between two runs.
    private(set) var emissions: [[Emission]] = []
    private(set) var contents: [Int] = []
    /// What the node threw, and where.
    private(set) var failure: String?
    private(set) var logged: [Log.Entry] = []
    /// Text that came out in events.
    private(set) var eventTexts: [String] = []
    /// Of the first output that goes back in time.
    private(set) var disorder: String?
    /// How many pictures were copied because somebody wrote to a shared one.
    private(set) var copies = 0
    private(set) var holds = 0
    /// How many inputs were alive after a turn, at most.
    private(set) var retained = 0
    /// The same, for the first and the second half of the inputs.
    private(set) var retainedByHalf = [0, 0]
    private(set) var emittedByEmptyDrain = 0
    private(set) var stopping = Duration.zero
    /// How many items the node was given, or of a source: made.
    private(set) var seen = 0
    /// Items that live on after the node went, and bytes of pictures.
    private(set) var leftItems = 0
    private(set) var leftBytes = 0

    private struct Weak { weak var item: ItemStorage? }
    private let suite: ConformanceSuite
    let plan: Plan
    private let pool = FramePool()
    private var inputs: [Weak] = []
    private var outputs: [Weak] = []
    private var sideInputs: [Weak] = []
    private var lastTimes: [MediaTime?] = []
    /// Packets of the long run, made once: making them anew would take longer than all else.
    private var made: [Packet] = []
    /// Which size the stream begins with.
    private var variant = 0

    /// Runs it.
    ///
    /// - Returns: nil where no input of that format can be made.
    init?(_ suite: ConformanceSuite, _ plan: Plan, options: Value.ValueMap? = nil) {
        self.suite = suite
        self.plan = plan
        if let format = plan.format {
            guard suite.inputs.item(0, of: format, variant: 0, pool: FramePool()) != nil else { return nil }
        }
        do {
            let harness = try NodeHarness(
                suite.registration, options: options ?? suite.options, services: suite.services, pool: pool)
            lastTimes = harness.descriptor.outputs.map { _ in nil }
            do {
                if plan.format == nil { try runSource(harness) } else { try feed(harness) }
                try end(harness)
            } catch {
                failure = failure ?? "\(error)"
                try? harness.end()
            }
            take(harness)
            emissions = harness.descriptor.outputs.map { harness.emissions(on: $0.name) }
            logged = harness.logged
        } catch {
            failure = "open: \(error)"
        }
        copies = pool.copies
        leftItems = [inputs, outputs, sideInputs].reduce(0) { $0 + $1.count { $0.item != nil } }
        leftBytes = pool.usedBytes
    }

    /// How many items came out of an output.
    func itemCount(_ port: Int) -> Int {
        emissions[port].count { if case .item = $0 { true } else { false } }
    }

    /// Has a source make so many items; it waits for a network that does not bring them, but not for long.
    private mutating func runLongSource(_ harness: NodeHarness) throws {
        var turns = 0
        while seen < plan.count, turns < plan.count * 100, harness.isOpen {
            let step = min(plan.count - seen, 64)
            try harness.run(turns: step)
            turns += step
            take(harness)
            if harness.isIdle, !harness.waitForWake(within: .seconds(5)) { return }
        }
    }

    private mutating func runSource(_ harness: NodeHarness) throws {
        if plan.isLong { return try runLongSource(harness) }
        var turns = 0
        while turns < plan.count, harness.isOpen {
            let step = min(plan.count - turns, 64)
            do { try harness.run(until: .zero + .seconds(86_400), turns: step) } catch {
                failure = "turn \(turns): \(error)"
                throw error
            }
            turns += step
            take(harness)
        }
    }

    private mutating func feed(_ harness: NodeHarness) throws {
        guard let format = plan.format else { return }
        if plan.isLong { prepare(format) }
        for number in 0..<plan.count {
            let captured = ConformanceInputs.captured(number)
            let before = captured - .milliseconds(1)
            if plan.gapsBefore.contains(number) { harness.gap(Gap(.full, at: before)) }
            if plan.lostBefore.contains(number) { harness.gap(Gap(.lost, count: 0, at: before)) }
            if plan.changesBefore.contains(number) { variant = 1 - variant }
            do {
                try harness.run(until: captured)
                guard harness.isOpen, let item = item(number, of: format) else { return }
                seen += 1
                inputs.append(Weak(item: item))
                try harness.feed(consume item, sides: number % 2 == 1 ? sides(harness, number) : [:])
            } catch {
                failure = "item \(number): \(error)"
                throw error
            }
            take(harness)
            holds = max(holds, harness.holds)
            if plan.count <= 100 || number % 100 == 0 { countRetained(number) }
        }
        if plan.gapsBefore.contains(plan.count) { harness.gap(Gap(.full, at: ConformanceInputs.captured(plan.count))) }
    }

    /// Chooses the small size, if items can be made of it, and makes the packets.
    private mutating func prepare(_ format: Format) {
        guard suite.inputs.item(0, of: format, variant: ConformanceInputs.small, pool: pool) != nil else { return }
        variant = ConformanceInputs.small
        guard case .packets = format else { return }
        made = (0..<25).compactMap {
            suite.inputs.item($0, of: format, variant: variant, pool: pool).map { Packet(storage: $0) }
        }
    }

    private func item(_ number: Int, of format: Format) -> ItemStorage? {
        guard !made.isEmpty else {
            return suite.inputs.item(number, of: format, variant: variant, pool: pool)
        }
        let packet = made[number % made.count]
        let captured = ConformanceInputs.captured(number)
        return Packet(
            packet.data, format: packet.format, captured: captured, pts: MediaTime(captured - .zero),
            isKeyframe: packet.isKeyframe
        ).storage
    }

    private mutating func end(_ harness: NodeHarness) throws {
        let clock = SystemClock()
        let start = clock.now
        if plan.drainsTwice, harness.isOpen {
            _ = try harness.drainNow()
            emittedByEmptyDrain = try harness.drainNow()
        }
        do { try harness.end() } catch {
            failure = "end: \(error)"
            throw error
        }
        stopping = clock.now - start
    }

    private mutating func sides(_ harness: NodeHarness, _ number: Int) -> [String: [ItemStorage]] {
        var sides: [String: [ItemStorage]] = [:]
        guard harness.descriptor.contract == .join else { return [:] }
        for port in harness.descriptor.inputs.dropFirst() {
            guard let format = suite.inputs.formats(of: port).first,
                let item = suite.inputs.item(number, of: format, variant: variant, pool: pool)
            else { continue }
            sideInputs.append(Weak(item: item))
            sides[port.name] = [item]
        }
        return sides
    }

    private mutating func countRetained(_ number: Int) {
        if !plan.isLong { inputs.removeAll { $0.item == nil } }
        let alive = inputs.count { $0.item != nil }
        retained = max(retained, alive)
        let half = number * 2 < plan.count ? 0 : 1
        retainedByHalf[half] = max(retainedByHalf[half], alive)
    }

    private mutating func take(_ harness: NodeHarness) {
        for index in harness.descriptor.outputs.indices {
            for item in harness.takeItems(ofOutput: index) {
                outputs.append(Weak(item: item))
                if harness.descriptor.contract == .source { seen += 1 }
                if !plan.isLong { examine(item, index) }
            }
        }
        if !plan.isLong { outputs.removeAll { $0.item == nil } }
    }

    /// Notes an item's contents and looks whether it goes back in time.
    private mutating func examine(_ item: ItemStorage, _ port: Int) {
        var hasher = Hasher()
        var time: MediaTime?
        switch item.kind {
        case .packet:
            let packet = Packet(storage: item)
            hasher.combine(packet.data)
            hasher.combine(packet.pts)
            time = packet.dts
        case .frame:
            let frame = Frame(storage: item)
            hasher.combine(frame.pts)
            for index in frame.pixels.planes.indices {
                unsafe frame.withPlane(index) { pointer, plane in
                    for y in 0..<plane.height {
                        unsafe hasher.combine(
                            bytes: UnsafeRawBufferPointer(
                                start: pointer + y * plane.stride, count: plane.width * plane.bytesPerPixel))
                    }
                }
            }
            time = frame.pts
        case .event:
            let event = Event(storage: item)
            hasher.combine(event.id)
            hasher.combine(event.kind)
            hasher.combine(event.payload)
            eventTexts.append("\(event.id) \(event.payload)")
        }
        contents.append(hasher.finalize())
        if let time {
            if let last = lastTimes[port], time < last, disorder == nil {
                disorder = "\(time.duration) comes after \(last.duration)"
            }
            lastTimes[port] = time
        }
    }
}
