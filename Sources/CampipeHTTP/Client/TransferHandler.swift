package import CampipeKit

/// How a transfer goes on after some bytes.
package enum TransferFlow: Sendable {
    case more
    /// Nothing more comes until `Transfer.resume`.
    case pause
    /// The transfer ends as `cancelled`.
    case stop
}

/// How a transfer ended.
package enum TransferEnd: Sendable {
    /// The answer came to its end.
    ///
    /// - Parameter isComplete: Whether the answer's own length or coding says that all of it came; false when only the
    ///   connection's end ended it.
    case finished(isComplete: Bool)
    case cancelled
    case failed(CampipeError)
}

/// Who a transfer tells what happens. Called on the fetcher's thread, in order; must not block.
package protocol TransferHandler: AnyObject, Sendable {
    /// The final answer's head is there: status 2xx or 304, of an upload any. Other statuses end the transfer as failed.
    func transferBegan(_ head: ResponseHead)
    /// The next bytes of the body, its codings undone.
    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> TransferFlow
    /// Called exactly once, last.
    func transferEnded(_ end: TransferEnd)
}
