import CampipeKit

/// One link into a node, with what was taken from it and not yet handled.
final class Inlet {
    let link: Link
    /// The input by its index in the descriptor; of a `when` clause the descriptor's count plus its index.
    var input: Int { link.key.input }
    var batch = Batch()
    /// The format last announced.
    var format: Format?
    var hasEnded = false
    /// Of a side: its camera was lost, and nothing came since.
    var isLost = false
    /// Another link has taken its place; it goes once all it brought is taken.
    var isLeaving = false
    /// An inter-coded packet was skipped: those that need it go too.
    var awaitsKeyframe = false
    /// Of a side: what was taken and waits for its primary item.
    var pending: [ItemStorage] = []
    /// Decides when the head may go to the node.
    var aligner: SideAligner
    private var elasticity = LinkQueue.Elasticity.none

    init(_ link: Link, aligner: SideAligner) {
        self.link = link
        self.aligner = aligner
    }

    /// Whether it leaves and all that it brought is taken.
    var hasLeft: Bool { isLeaving && hasEnded && batch.isEmpty && pending.isEmpty }

    /// Whether another one takes, or has taken, the place of it: what this one brings comes first.
    func precedes(_ other: Inlet) -> Bool {
        isLeaving && input == other.input && link.key.position == other.link.key.position
            && link.key.subscription == other.link.key.subscription
    }

    /// What a join asks about it: one that leaves has nothing more to come.
    var progress: SideAligner.Side {
        var progress = link.progress
        if isLeaving { progress.hasEnded = true }
        return progress
    }

    /// Whether what comes is of a source that cannot pause.
    var isLive: Bool { (link.producer as? NodeRunner)?.assignment.isLive ?? false }

    /// Lifts limits of the link, or sets them again.
    func setElastic(_ new: LinkQueue.Elasticity) {
        guard new != elasticity else { return }
        elasticity = new
        link.setElastic(new)
    }

    /// Lets go of the link; what it brought and nobody looked at is dropped.
    ///
    /// - Returns: The gap that this makes, with those that were in it.
    @discardableResult
    func abandon(_ reason: DropReason) -> Gap? {
        var (count, gap) = batch.giveUp(reason)
        gap.merge(link.abandon(reason, untouched: count + pending.count))
        pending = []
        return gap
    }

    /// Takes more from the link once all that was taken is handled.
    ///
    /// - Returns: Whether there is anything to handle.
    func refill(limit: Int, through: Instant? = nil, clock: any PipelineClock) -> Bool {
        if !batch.isEmpty { return true }
        batch.reset()
        _ = link.take(into: &batch, limit: limit, byteLimit: 1 << 18, through: through, clock: clock)
        return !batch.isEmpty
    }
}
