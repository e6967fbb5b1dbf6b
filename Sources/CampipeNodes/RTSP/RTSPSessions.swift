import CampipeHTTP
import CampipeKit
import Dispatch

/// The sessions with RTSP cameras of a process, one a URL with its credentials. Any thread may call it.
package final class RTSPSessions: Sendable {
    private let sessions = Lock<[RTSPRequest: RTSPSession]>([:])
    private let noted = Lock<Set<String>>([])
    private let transports = RTSPTransportMemory()
    private let threads = DispatchGroup()

    package init() {}

    /// Whether a note is made for the first time in this process.
    func isFirst(_ note: String) -> Bool { noted.withLock { $0.insert(note).inserted } }

    /// Reads a camera: joins its session, or begins one.
    ///
    /// - Throws: `.exhausted` when there can be no more threads.
    func join(_ request: RTSPRequest, clock: any PipelineClock, wake: @escaping @Sendable () -> Void) throws
        -> RTSPReader
    {
        let reader = RTSPReader(wake: wake) { [weak self] reader in self?.leave(request, ObjectIdentifier(reader)) }
        let (session, isNew) = sessions.withLock { sessions -> (RTSPSession, Bool) in
            if let session = sessions[request], session.join(reader) { return (session, false) }
            let session = RTSPSession(request, clock: clock, transports: transports)
            _ = session.join(reader)
            sessions[request] = session
            return (session, true)
        }
        guard isNew else {
            if let facts = session.facts { reader.add(.opened(facts)) }
            return reader
        }
        threads.enter()
        do throws(CampipeError) {
            try NamedThread.start("rtsp \(request.url.host)") { [threads, weak self] in
                session.run()
                self?.forget(request, session)
                threads.leave()
            }
        } catch {
            threads.leave()
            throw error
        }
        return reader
    }

    /// How many cameras are being read.
    var count: Int { sessions.withLock { $0.count } }

    /// Ends all sessions, and waits until the cameras were told, for a second and a half at most.
    package func stop() {
        for session in sessions.withLock({ Array($0.values) }) { session.stop() }
        _ = threads.wait(timeout: .now() + .milliseconds(1500))
    }

    private func leave(_ request: RTSPRequest, _ reader: ObjectIdentifier) {
        sessions.withLock { sessions in
            guard let session = sessions[request], session.leave(reader) else { return }
            sessions[request] = nil
        }
    }

    private func forget(_ request: RTSPRequest, _ session: RTSPSession) {
        sessions.withLock { if $0[request] === session { $0[request] = nil } }
    }
}
