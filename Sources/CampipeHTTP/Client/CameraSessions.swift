import CampipeKit

/// The sessions with cameras of a process, one a URL with its credentials. Touched on the fetcher's thread only.
final class CameraSessions: @unchecked Sendable {
    // Unchecked: touched on one thread.

    /// How long a refusal of the password answers for the camera itself, so that many readers of one URL do not lock
    /// the account: the least that a source waits after a refusal.
    static let refusalCounts = Duration.seconds(15)

    private var sessions: [FetchRequest.Identity: CameraSession] = [:]
    private var joined: [ObjectIdentifier: CameraSession] = [:]
    private var refusals: [FetchRequest.Identity: (error: CampipeError, at: Instant)] = [:]

    /// How many cameras are being read.
    var count: Int { sessions.count }

    func join(
        _ member: CameraMember, _ request: FetchRequest, fetcher: HTTPFetcher, clock: any PipelineClock,
        limits: JPEGStructure.Limits
    ) {
        let identity = request.identity
        let now = clock.now
        refusals = refusals.filter { now >= $0.value.at && now - $0.value.at < Self.refusalCounts }
        if let refusal = refusals[identity] { return member.add([.ended(refusal.error)]) }
        let session =
            sessions[identity]
            ?? CameraSession(request, fetcher: fetcher, clock: clock, limits: limits) { [weak self] error in
                self?.end(identity, error, at: clock.now)
            }
        sessions[identity] = session
        joined[ObjectIdentifier(member)] = session
        session.join(member)
    }

    func leave(_ member: CameraMember) {
        guard let session = joined.removeValue(forKey: ObjectIdentifier(member)) else { return }
        session.leave(member)
        if session.isEmpty { sessions = sessions.filter { $0.value !== session } }
    }

    func resume(_ member: CameraMember) { joined[ObjectIdentifier(member)]?.resume() }

    private func end(_ identity: FetchRequest.Identity, _ error: CampipeError?, at now: Instant) {
        if let error, error.kind == .unauthorized { refusals[identity] = (error, now) }
        guard let session = sessions.removeValue(forKey: identity) else { return }
        joined = joined.filter { $0.value !== session }
    }
}
