/// A line of text as coverage: how much of each pixel its letters cover, 0…255, row by row.
package struct TextMask: Hashable, Sendable {
    /// Columns of the mask.
    package let width: Int
    /// Rows of the mask.
    package let height: Int
    /// The letters.
    package let coverage: [UInt8]
    /// The letters widened by the outline; empty without one.
    package let outline: [UInt8]
    /// Rows from the top to the line on which letters stand.
    package let baseline: Int
    /// Characters that no font of this machine has; a box stands for each.
    package let missing: [Unicode.Scalar]
}
