/// By what one viewer of a stream is found again in `/state`, as ustreamer does it.
package struct ViewerMark: Sendable, Hashable {
    /// Random, sixteen hexadecimal digits.
    package var id: String
    /// What the viewer called itself (`?key=`); empty without.
    package var key: String
    /// What it asked for.
    package var request: String

    package init(key: String, request: String) {
        id = (try? RandomSecret.text(8)) ?? String(UInt64.random(in: .min ... .max), radix: 16)
        self.key = key
        self.request = request
    }
}

/// How one viewer of a stream is served.
package struct ViewerRate: Sendable, Hashable {
    package var mark: ViewerMark
    /// Pictures that went out whole in the last second.
    package var fps: Int

    package init(mark: ViewerMark, fps: Int) {
        self.mark = mark
        self.fps = fps
    }
}
