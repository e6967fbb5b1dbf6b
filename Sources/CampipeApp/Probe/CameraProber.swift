import CampipeKit

/// Finds out what a camera speaks, by reading it for a moment. For each way of reading cameras there is one.
protocol CameraProber: Sendable {
    /// Reads the camera; at most for ten seconds.
    ///
    /// - Throws: `CampipeError` with the cause and what to try.
    func probe(_ camera: CameraEntry) throws(CampipeError) -> CameraFinding
}

/// Which prober a camera's URL means: the one place where a scheme is looked at.
enum CameraProbers {
    /// How long a probe takes at most.
    static let patience = Duration.seconds(10)

    /// What has no prober of its own is run as a pipeline, and refused by its checks where campipe cannot read it.
    static func prober(of scheme: String, clock: any PipelineClock) -> any CameraProber {
        switch scheme {
        case "http", "https": HTTPProber(clock: clock)
        default: GraphProber(clock: clock)
        }
    }
}
