/// Notices that a camera sends keyframes too seldom: viewers and recordings begin only at one. A value.
package struct KeyframeInterval: Sendable {
    /// Above it, it is said.
    package static let limit = Duration.seconds(4)
    private var last: Duration?
    private var isSaid = false

    package init() {}

    /// Looks at a packet.
    ///
    /// - Returns: How long there has been no keyframe, the first time that is too long; nil otherwise.
    package mutating func look(isKeyframe: Bool, time: Duration) -> Duration? {
        defer { if isKeyframe || last == nil { last = time } }
        guard let last, !isSaid, time - last > Self.limit else { return nil }
        isSaid = true
        return time - last
    }
}
