import CampipeKit

/// Turns one transfer into pictures for its session. Called on the fetcher's thread only.
final class CameraReceiver: TransferHandler, @unchecked Sendable {
    // Unchecked: the fetcher calls it on one thread.

    /// Whether the answer may be that nothing changed.
    let isConditional: Bool
    private weak var session: CameraSession?
    private let source: String
    private let limits: JPEGStructure.Limits
    private var stream: MJPEGStream?
    private var failure: CampipeError?

    init(_ session: CameraSession, source: String, limits: JPEGStructure.Limits, isConditional: Bool) {
        self.session = session
        self.source = source
        self.limits = limits
        self.isConditional = isConditional
    }

    func transferBegan(_ head: ResponseHead) {
        stream = MJPEGStream(head: head, source: source, limits: limits, mayBeUnchanged: isConditional)
        session?.opened(head, by: self)
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> TransferFlow {
        guard let session else { return .stop }
        var actions: [MultipartParser.Action] = []
        do throws(CampipeError) {
            try unsafe stream?.receive(bytes, into: &actions)
        } catch {
            failure = error
            _ = session.received(actions, by: self)
            return .stop
        }
        return session.received(actions, by: self)
    }

    func transferEnded(_ end: TransferEnd) {
        var actions: [MultipartParser.Action] = []
        var cause = failure
        var isComplete = false
        if cause == nil {
            switch end {
            case .finished(let complete):
                isComplete = complete
                cause = finish(isComplete: complete, &actions)
            case .cancelled: break
            case .failed(let error):
                cause = error
                _ = finish(isComplete: false, &actions)  // counts what was cut
            }
        }
        let isStill = stream?.isOnePicture(isComplete: isComplete) ?? false
        session?.ended(actions, cause, isStill: isStill, by: self)
    }

    private func finish(isComplete: Bool, _ actions: inout [MultipartParser.Action]) -> CampipeError? {
        do throws(CampipeError) {
            try stream?.finish(isComplete: isComplete, into: &actions)
            return nil
        } catch {
            return error
        }
    }
}
