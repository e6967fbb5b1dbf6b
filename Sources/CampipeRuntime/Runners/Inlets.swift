import CampipeKit

/// All links into a node: those of its main input (of a sink all that are not aligned), and the sides that are aligned
/// to them.
struct Inlets {
    private(set) var main: [Inlet] = []
    /// A join's sides, then the events of `when`.
    var sides: SideInlets
    /// Whether any of the links has another in its place already.
    private var hasLeaving = false
    /// The main inlet that the next turn begins with.
    private var first = 0
    private let inputs: Int
    private let isJoin: Bool
    /// No link is the main one: all are sides of a tick.
    private let isMixer: Bool
    private var tickAligner: SideAligner
    private let isLive: Bool
    private let joinWait: Duration
    /// At which age items are late for those behind the node; nil is never.
    var lateAfter: Duration?

    /// Whether the head of a main inlet may go to the node.
    enum Verdict {
        /// It may; with the clauses of `when` whose events ended meanwhile.
        case go(ended: [Int])
        /// Not before a side moves, or that instant.
        case wait(until: Instant?)
    }

    init(_ descriptor: NodeDescriptor, isLive: Bool, joinWait: Duration) {
        inputs = descriptor.inputs.count
        isJoin = descriptor.contract == .join
        isMixer = descriptor.isMixer
        tickAligner = SideAligner(isLive: false)
        sides = SideInlets(inputs: inputs, keepsNewest: isMixer)
        self.isLive = isLive
        self.joinWait = joinWait
    }

    // MARK: Links

    mutating func attach(_ link: Link) {
        let inlet = Inlet(link, aligner: SideAligner(isLive: isLive, joinWait: joinWait))
        if inlet.input >= inputs || isMixer || isJoin && inlet.input > 0 {
            sides.attach(inlet)
        } else {
            main.append(inlet)
        }
    }

    /// Lets go of a link: of one that was ended so that another takes its place once all it brought is taken.
    ///
    /// - Parameter reason: Why what another brought is dropped.
    /// - Returns: What is missing of the main input by that.
    mutating func detach(_ key: LinkKey, _ reason: DropReason) -> Gap? {
        var missed: Gap?
        for inlet in main + sides.inlets where inlet.link.key == key && !inlet.isLeaving {
            if inlet.link.isReplaced, inlet.link.hasEnded {
                inlet.isLeaving = true
                hasLeaving = true
            } else {
                let gap = inlet.abandon(reason)
                if inlet.input == 0 { missed = gap }
                main.removeAll { $0 === inlet }
                sides.detach(inlet)
            }
        }
        return missed
    }

    /// Lets go of the links that left and brought all they had.
    ///
    /// - Returns: Whether there were any, so that those in their places have their turn.
    mutating func dropLeft() -> Bool {
        guard hasLeaving else { return false }
        let left = main.filter(\.hasLeft)
        main.removeAll(where: \.hasLeft)
        for inlet in left {
            // What follows continues the same stream.
            guard let next = main.first(where: inlet.precedes) else { continue }
            next.format = inlet.format
            next.awaitsKeyframe = inlet.awaitsKeyframe
        }
        sides.dropLeft()
        hasLeaving = (main + sides.inlets).contains(where: \.isLeaving)
        return !left.isEmpty
    }

    mutating func removeAll() {
        main = []
        sides.removeAll()
    }

    /// Lets go of what all links bring: whoever feeds the node must not wait for room.
    ///
    /// - Returns: What is missing of the main input by that.
    @discardableResult
    func abandon(_ reason: DropReason) -> Gap? {
        for inlet in sides.inlets { inlet.abandon(reason) }
        var missed: Gap?
        for inlet in main {
            let gap = inlet.abandon(reason)
            if inlet.input == 0 { missed.merge(gap) }
        }
        return missed
    }

    /// A new instance of the node begins anew, with what decodes alone.
    func reopen() {
        for inlet in main { inlet.awaitsKeyframe = inlet.input == 0 && inlet.format?.isInterCoded == true }
    }

    /// The format of the main input, as far as it is known.
    var format: Format? { main.first { $0.input == 0 && $0.format != nil }?.format }

    // MARK: Turns

    /// The main inlet whose turn it is; nil when another comes first whose place it takes.
    func turn(_ offset: Int) -> Int? {
        let index = (first + offset) % main.count
        return hasLeaving && main[..<index].contains { $0.precedes(main[index]) } ? nil : index
    }

    /// Lets another one begin the next turn.
    mutating func rotate() { first = main.count > 1 ? (first + 1) % main.count : 0 }

    /// Lifts limits of all links of a node with sides, or sets them again.
    mutating func setElastic(_ elasticity: LinkQueue.Elasticity) {
        guard !sides.isEmpty else { return }
        for index in main.indices { main[index].setElastic(elasticity) }
        sides.setElastic(elasticity)
    }

    /// Asks whether each side has said all it has up to the head of a main inlet; if so, what it has is at hand.
    mutating func align(_ index: Int, to captured: Instant, clock: any PipelineClock) -> Verdict {
        let progress = sides.inlets.lazy.map(\.progress)
        let now = isLive ? clock.now : .zero
        switch main[index].aligner.decide(head: captured, sides: progress, lateAfter: lateAfter, now: now) {
        case .go:
            setElastic(.none)
            return .go(ended: sides.collect(upTo: captured, clock: clock))
        case .wait:
            setElastic(.all)
            return .wait(until: nil)
        case .waitUntil(let deadline):
            setElastic(.all)
            return .wait(until: deadline)
        }
    }

    /// Asks whether a mixer may be called for an instant; if so, what its links captured up to then is at hand.
    mutating func align(tick instant: Instant, clock: any PipelineClock) -> Verdict {
        // A turn may come late; the newest there is is what a live picture is for.
        if isLive { return .go(ended: sides.collect(upTo: max(instant, clock.now), clock: clock)) }
        let progress = sides.inlets.lazy.map(\.progress)
        guard !sides.isEmpty, tickAligner.decide(head: instant, sides: progress, now: .zero) == .go else {
            setElastic(.all)
            return .wait(until: nil)
        }
        setElastic(.none)
        return .go(ended: sides.collect(upTo: instant, clock: clock))
    }

    // MARK: The end

    /// How many items wait, or were taken and are not handled yet.
    var waiting: Int {
        (main + sides.inlets).reduce(0) { $0 + $1.link.ledger.queued + $1.batch.remaining + $1.pending.count }
    }

    /// Whether nothing waits on the main links.
    var isIdle: Bool { main.allSatisfy { $0.batch.isEmpty && !$0.link.hasEntries } }

    /// Whether nothing more is to be taken.
    ///
    /// - Parameter isClosing: Nothing new will come, even if no link says so.
    func areDone(isClosing: Bool) -> Bool {
        if isMixer { return sides.haveEnded || isClosing && (isLive || sides.isEmpty) }
        guard isClosing || main.contains(where: \.hasEnded) else { return false }
        guard isClosing || main.contains(where: { $0.input == 0 }) else { return false }
        return main.allSatisfy(Self.isDone)
    }

    /// Whether nothing more is to be taken from an inlet: the main input ended, and so did the others where they can
    /// pause; what is live is taken as far as it came.
    private static func isDone(_ inlet: Inlet) -> Bool {
        guard inlet.batch.isEmpty, inlet.isLeaving || !inlet.hasEnded || !inlet.link.isReplaced else { return false }
        return inlet.hasEnded || inlet.input > 0 && inlet.isLive && !inlet.link.hasEntries
    }
}
