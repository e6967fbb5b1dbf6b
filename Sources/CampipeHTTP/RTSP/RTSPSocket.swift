import CCurl
import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// A connection to a camera, TCP or TLS, over libcurl without HTTP: its look-up of names, its TLS, its errors. One
/// owner, one thread; connecting and sending block.
@safe final class RTSPSocket {
    private let curl: CurlEasyHandle
    private let shown: String
    /// For `poll`.
    let descriptor: Int32

    /// - Throws: As a transfer over HTTP does.
    init(_ request: RTSPRequest, stop: StopFlag) throws(CampipeError) {
        guard HTTPFetcher.isReady else { throw CampipeError(.exhausted, "cannot start the RTSP client: no memory") }
        let url = request.url
        let address = try CameraURL("\(url.isTLS ? "https" : "http")://\(url.host):\(url.port)/")
        let fetch = FetchRequest(
            address, connectTimeout: request.connectTimeout, verifiesTLS: request.verifiesTLS, caFile: request.caFile,
            fingerprint: url.isTLS ? request.fingerprint : nil, proxy: "")
        curl = try CurlEasyHandle(fetch, handler: NoTransfer())
        shown = url.shown
        descriptor = try curl.connect(shown: url.shown, stop: stop)
    }

    /// Sends all of it.
    ///
    /// - Throws: `.unavailable` when the connection is gone, or takes nothing for ten seconds.
    func send(_ bytes: [UInt8]) throws(CampipeError) {
        var rest = bytes[...]
        var waits = 0
        while !rest.isEmpty {
            var count = 0
            let code = unsafe rest.withUnsafeBytes { bytes in
                unsafe curl.withHandle { unsafe curl_easy_send($0, bytes.baseAddress, bytes.count, &count) }
            }
            if code == CURLE_AGAIN, waits < 100 {
                waits += 1
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wait, 1, 100)
            } else if code == CURLE_OK {
                rest = rest.dropFirst(count)
            } else {
                throw CampipeError(.unavailable, "\(shown): the connection was cut")
            }
        }
    }

    /// Reads what is there.
    ///
    /// - Returns: How many bytes; nil when there are none yet.
    /// - Throws: `.unavailable` when the connection was cut, `.ended` when the camera ended it.
    func receive(into buffer: inout [UInt8]) throws(CampipeError) -> Int? {
        var count = 0
        let code = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe curl.withHandle { unsafe curl_easy_recv($0, bytes.baseAddress, bytes.count, &count) }
        }
        if code == CURLE_AGAIN { return nil }
        guard code == CURLE_OK else { throw CampipeError(.unavailable, "\(shown): the connection was cut") }
        guard count > 0 else { throw CampipeError(.ended, "the camera ended the stream") }
        return count
    }
}

/// The connection has no transfer.
private final class NoTransfer: TransferHandler {
    func transferBegan(_ head: ResponseHead) {}
    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> TransferFlow { .stop }
    func transferEnded(_ end: TransferEnd) {}
}
