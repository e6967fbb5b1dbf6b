import CampipeHTTP
import CampipeKit

/// Which transport a camera is tried by next, where the file leaves the choice. A value without clock.
///
/// TCP comes first, since nothing is lost by it; then UDP, then the tunnel. What brought pictures the last time comes
/// before all; what a camera agreed to and sent nothing by comes last.
struct RTSPTransportOrder: Sendable {
    typealias Transport = RTSPRequest.Transport

    /// What brought pictures the last time.
    private(set) var known: Transport?
    private var silent: Set<Transport> = []
    private let all: [Transport]

    /// - Parameter isTLS: Whether the connection is encrypted: packets beside it would not be.
    init(isTLS: Bool) { all = isTLS ? [.tcp, .http] : [.tcp, .udp, .http] }

    /// The next one; nil when all were tried since one of them worked.
    ///
    /// - Parameter tried: What was tried in this session.
    mutating func next(after tried: [Transport]) -> Transport? {
        let order = [known].compactMap(\.self) + all.filter { $0 != known }
        if let next = order.first(where: { !silent.contains($0) && !tried.contains($0) }) { return next }
        // The next session begins from the top.
        silent = []
        return tried.isEmpty ? order.first : nil
    }

    mutating func failed(_ transport: Transport) {
        silent.insert(transport)
        if known == transport { known = nil }
    }

    mutating func worked(_ transport: Transport) {
        known = transport
        silent = []
    }
}

/// What is known of the cameras of a process: by which transport each sends. Any thread may call it.
final class RTSPTransportMemory: Sendable {
    private let orders = Lock<[RTSPRequest: RTSPTransportOrder]>([:])

    /// Changes what is known of a camera, and asks.
    func with<Result: Sendable>(
        _ request: RTSPRequest, _ body: @Sendable (inout RTSPTransportOrder) -> Result
    ) -> Result {
        orders.withLock { orders in
            var order = orders[request] ?? RTSPTransportOrder(isTLS: request.url.isTLS)
            defer { orders[request] = order }
            return body(&order)
        }
    }
}
