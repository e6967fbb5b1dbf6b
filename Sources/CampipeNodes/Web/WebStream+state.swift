import CampipeHTTP
import CampipeKit

/// How a stream is, for programs.
extension WebStream {
    /// As ustreamer's `/state`. On the server's thread.
    ///
    /// `clients_stat` has an entry for each viewer, by its id: its `fps` is what KVM pages show, which know the id by
    /// the cookie `stream_client`. What of ustreamer's wishes is not known here is false; a size that is not known yet is
    /// null. Campipe's own are `state` (`live`; `lost`; `waiting` while the sink's `when` is not true; `idle`: nobody looks,
    /// so that nothing is made; `off`) and `nodes`: how each node of the pipeline is. `online` is what follows: false of
    /// `lost` and `off`.
    var stateJSON: String {
        hear()
        let now = clock.now
        let (shown, health, fullest, variants, isWaiting) = state.withLock { state in
            (
                state.size, state.health, state.fullest?.health, Array(state.variants.values),
                state.isWaiting(state.health)
            )
        }
        let users = variants.filter(\.hasUsers)
        let video = video.condition
        let condition: String
        if isWaiting {
            condition = "waiting"
        } else if let video {
            condition = video.isLive ? "live" : "lost"
        } else if health.isLost {
            condition = "lost"
        } else if users.isEmpty {
            // Of what is not live pictures come also while nobody looks.
            condition = health.hasSeenAny && health.condition(at: now) == .live ? "live" : "idle"
        } else {
            condition = users.contains { $0.health.condition(at: now) == .live } ? "live" : "lost"
        }
        let viewers = variants.reduce(self.video.counters.viewers) { $0 + $1.feed.counters.viewers }
        let clients = (variants.flatMap(\.feed.clients) + self.video.clients).map { client in
            "\"\(client.mark.id)\":{\"fps\":\(client.fps),\"extra_headers\":false,\"advance_headers\":false,"
                + "\"dual_final_frames\":false,\"zero_data\":false,\"key\":\"\(client.mark.key)\","
                + "\"request\":\"\(client.mark.request)\"}"
        }
        let fps = Int((video?.rate ?? fullest?.rate(at: now) ?? 0).rounded())
        let queued =
            variants.filter { $0.feed.counters.viewers > 0 }.map { Int($0.health.rate(at: now).rounded()) }.max() ?? 0
        return Self.stateJSON(
            quality: limits.quality, size: shown ?? self.video.size, isOnline: condition != "lost", state: condition,
            fps: fps, queued: queued, viewers: viewers, clients: clients.sorted(), nodes: surroundings.nodes())
    }
}
