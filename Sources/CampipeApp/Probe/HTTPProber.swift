import CampipeHTTP
import CampipeKit
import Dispatch

/// Probes a camera over HTTP: MJPEG of any shape, or one JPEG an answer.
///
/// It reads as a node does, by the process's session of that URL: a camera that is open already is not asked again.
struct HTTPProber: CameraProber {
    private let clock: any PipelineClock
    private let shared: HTTPFetcher?

    /// - Parameter fetcher: The process's, where there is one; else one is made for the probe.
    init(clock: any PipelineClock, fetcher: HTTPFetcher? = nil) {
        self.clock = clock
        shared = fetcher
    }

    func probe(_ camera: CameraEntry) throws(CampipeError) -> CameraFinding {
        var request = try camera.request()
        request.connectTimeout = min(request.connectTimeout, CameraProbers.patience)
        let fetcher: HTTPFetcher
        if let shared { fetcher = shared } else { fetcher = try HTTPFetcher() }
        defer { if shared == nil { fetcher.stop() } }
        do throws(CampipeError) {
            return try read(request, fetcher, until: clock.now + CameraProbers.patience).finding
        } catch {
            throw advice(error, request, fetcher)
        }
    }

    private func read(
        _ request: FetchRequest, _ fetcher: HTTPFetcher, until deadline: Instant
    ) throws(CampipeError) -> HTTPSample {
        let bell = DispatchSemaphore(value: 0)
        let connection = MJPEGConnection(request, fetcher: fetcher, clock: clock, capacity: 8) { bell.signal() }
        defer { connection.cancel() }
        var sample = HTTPSample(url: request.url)
        while true {
            while let event = connection.next() { try sample.take(event) }
            let now = clock.now
            if sample.isEnough(now) { return sample }
            guard now < deadline else {
                if sample.hasPictures { return sample }
                throw sample.timeOut
            }
            let due = sample.due.flatMap { $0 > now ? $0 : nil } ?? deadline
            let wait = min(deadline, due) - now
            _ = bell.wait(timeout: .now() + .milliseconds(Int(wait.nanoseconds / 1_000_000) + 1))
        }
    }

    /// The same error with what helps on the command line.
    private func advice(_ error: CampipeError, _ request: FetchRequest, _ fetcher: HTTPFetcher) -> CampipeError {
        var error = error
        switch error.kind {
        case .unauthorized where request.username == nil:
            error.fix = "give --username NAME, and the password as the first line of standard input"
        case .unauthorized: error.fix = "check --username and the password"
        default: break
        }
        guard error.context.contains(where: { $0.key == "certificate" && $0.value == "unproven" }) else { return error }
        // No certificate has this hash: the handshake tells which one it is, and ends before anything is sent.
        var asking = request
        asking.fingerprint = .certificate([UInt8](repeating: 0, count: 32))
        (asking.username, asking.password) = (nil, nil)
        do throws(CampipeError) {
            _ = try read(asking, fetcher, until: clock.now + CameraProbers.patience)
        } catch let other {
            if let found = other.context.first(where: { $0.key == "fingerprint" })?.value {
                error.fix = "if this is the camera's certificate, give --tls-fingerprint \(found)"
            }
        }
        return error
    }
}
