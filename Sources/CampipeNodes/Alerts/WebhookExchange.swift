import CampipeHTTP
import CampipeKit

/// One request and its answer: of the answer the status counts, and its first words where it says no.
final class WebhookExchange: TransferHandler {
    enum Outcome: Sendable {
        case answered(status: Int, retryAfter: Duration?, text: String)
        case failed(CampipeError)
        case cancelled
    }

    private struct State {
        var status: Int?
        var retryAfter: Duration?
        var text: [UInt8] = []
        var received = 0
    }

    private static let mostText = 300
    /// Then nothing more of the answer is read.
    private static let mostReceived = 64 << 10

    private let state = Lock(State())
    private let ended: @Sendable (Outcome) -> Void

    /// - Parameter ended: Called once, on the fetcher's thread.
    init(_ ended: @escaping @Sendable (Outcome) -> Void) { self.ended = ended }

    func transferBegan(_ head: ResponseHead) {
        // As a date it is passed over: who asks for so much has its pause like others.
        let seconds = head.headers["Retry-After"].flatMap { Int($0) }.map { max(0, min($0, 86_400)) }
        state.withLock { state in
            state.status = head.status
            state.retryAfter = seconds.map { .seconds($0) }
        }
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> TransferFlow {
        state.withLock { state in
            state.received += bytes.count
            unsafe state.text.append(contentsOf: bytes.prefix(Self.mostText - state.text.count))
            return state.received > Self.mostReceived ? .stop : .more
        }
    }

    func transferEnded(_ end: TransferEnd) {
        let state = state.withLock { $0 }
        switch (end, state.status) {
        case (.failed(let error), nil): ended(.failed(error))
        case (_, let status?):
            ended(
                .answered(
                    status: status, retryAfter: state.retryAfter,
                    text: String(decoding: state.text, as: UTF8.self)))
        case (.finished, nil): ended(.answered(status: 200, retryAfter: nil, text: ""))
        case (.cancelled, nil): ended(.cancelled)
        }
    }
}
