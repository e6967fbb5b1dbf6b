/// The part of a transform that is in another process: what its box there would be asked.
///
/// Touched by one thread at a time, as a box is; a call may block.
package protocol RemoteNode: AnyObject {
    func open(_ context: borrowing Context) throws
    func finish() throws
    func gap(_ gap: Gap)
    /// Tells the format of the input.
    ///
    /// - Returns: What comes out on the main output, where that is known; and how many items it may keep back.
    func begin(_ input: Format) throws -> (output: Format?, holds: Int)
    func process(_ item: consuming ItemStorage, to output: inout Output) throws
    func drain(to output: inout Output) throws
}

/// A transform whose work is done in another process. What follows from its options alone is answered here, by an instance
/// that is never opened.
final class RemoteBox: NodeBox {
    private let local: NodeBox
    private let remote: any RemoteNode
    private var begun: (output: Format?, holds: Int)?

    init(_ local: NodeBox, _ remote: any RemoteNode, _ descriptor: NodeDescriptor) {
        self.local = local
        self.remote = remote
        super.init(descriptor)
    }

    override var holds: Int { begun?.holds ?? local.holds }
    override var omits: DropReason { local.omits }
    override func output(for input: Format) throws -> Format { try begun?.output ?? local.output(for: input) }
    override func want(_ downstream: Want) -> Want { local.want(downstream) }

    override func open(_ context: borrowing Context) throws { try remote.open(context) }
    override func finish() throws { try remote.finish() }
    override func gap(_ gap: Gap) { remote.gap(gap) }
    override func begin(_ input: Format) throws {
        begun = nil
        begun = try remote.begin(input)
    }
    override func process(_ item: consuming ItemStorage, to output: inout Output) throws {
        try remote.process(consume item, to: &output)
    }
    override func drain(to output: inout Output) throws { try remote.drain(to: &output) }
}
