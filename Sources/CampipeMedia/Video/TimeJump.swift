/// Where the times of a file begin anew, so that what stands behind goes on at once.
package struct TimeJump: Hashable, Sendable {
    /// Where that is, from the file's start on.
    package var at: Duration
    /// How far the file's own times jump; back is below zero.
    package var by: Duration
}
