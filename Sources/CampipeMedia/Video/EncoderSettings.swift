import CampipeKit

/// What a video encoder aims for.
package struct EncoderSettings: Hashable, Sendable {
    /// x264's constant rate factor: 18 is near to the source, 23 its own default, 28 small. Ignored where `bitRate` is
    /// set.
    package var quality: Int
    /// Bits a second; nil lets the quality decide.
    package var bitRate: Int?
    /// At most this long between keyframes.
    package var keyframeInterval: Duration
    /// x264's preset: `ultrafast`, `veryfast`, `fast`, `medium`.
    package var preset: String
    /// Whether each frame comes out at once, with no pictures held back.
    package var lowLatency: Bool
    /// Threads of the encoder's own.
    package var threads: Int
    /// Whether all colour is kept: 4:4:4, which few players take, in place of 4:2:0.
    package var keepsColor: Bool

    /// Settings for a live stream or a clip; each has a default.
    package init(
        quality: Int = 23, bitRate: Int? = nil, keyframeInterval: Duration = .seconds(1), preset: String = "veryfast",
        lowLatency: Bool = true, threads: Int = 1, keepsColor: Bool = false
    ) {
        self.quality = quality
        self.bitRate = bitRate
        self.keyframeInterval = keyframeInterval
        self.preset = preset
        self.lowLatency = lowLatency
        self.threads = threads
        self.keepsColor = keepsColor
    }
    /// The layout that the encoder reads.
    var pixel: PixelFormat { keepsColor ? .yuv444 : .yuv420 }
}
