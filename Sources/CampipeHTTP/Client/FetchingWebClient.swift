package import CampipeKit
import Dispatch

/// The `WebClient` of nodes, on the fetcher that reads cameras too.
package struct FetchingWebClient: WebClient {
    private let fetcher: HTTPFetcher

    package init(_ fetcher: HTTPFetcher) { self.fetcher = fetcher }

    package func ask(_ request: WebRequest) throws -> WebAnswer {
        // What is sent is sent once, to where it was meant for.
        let isReading = request.body == nil && request.method ?? "GET" == "GET"
        var fetch = FetchRequest(
            try CameraURL(request.url), headers: HTTPHeaders(request.headers), connectTimeout: request.timeout,
            maxRedirects: isReading ? 5 : 0)
        fetch.method = request.method
        fetch.body = request.body.map { Bytes($0) }
        let answer = WholeAnswer()
        let transfer = fetcher.transfer(fetch, handler: answer)
        transfer.start()
        guard answer.wait(request.timeout) else {
            transfer.cancel()
            throw CampipeError(
                .timedOut, "\(fetch.url.shown) did not answer in \(request.timeout.optionText ?? "time")")
        }
        return try answer.result
    }
}

/// One answer from its head to its end. The fetcher's thread fills it, another waits.
private final class WholeAnswer: TransferHandler {
    private struct State {
        var answer = WebAnswer()
        var failure: CampipeError?
    }

    private static let limit = 4 << 20
    private let state = Lock(State())
    private let ended = DispatchSemaphore(value: 0)

    /// Whether it came to its end in time.
    func wait(_ timeout: Duration) -> Bool {
        ended.wait(timeout: .now() + .milliseconds(Int(clamping: timeout.nanoseconds / 1_000_000))) == .success
    }

    var result: WebAnswer {
        get throws {
            let state = state.withLock { $0 }
            if let failure = state.failure { throw failure }
            return state.answer
        }
    }

    func transferBegan(_ head: ResponseHead) { state.withLock { $0.answer.status = head.status } }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> TransferFlow {
        state.withLock { state in
            guard state.answer.body.count + bytes.count <= Self.limit else {
                state.failure = CampipeError(.badData, "the answer is larger than 4 MiB")
                return .stop
            }
            unsafe state.answer.body.append(contentsOf: bytes)
            return .more
        }
    }

    func transferEnded(_ end: TransferEnd) {
        state.withLock { state in
            switch end {
            case .finished: break
            case .cancelled: state.failure = state.failure ?? CampipeError(.unavailable, "the request was called off")
            case .failed(let error): state.failure = error
            }
        }
        ended.signal()
    }
}
