/// A stretch of a source text, in characters (Unicode scalars) from its beginning.
///
/// Twelve bytes, because each value of a file carries two.
package struct Mark: Hashable, Sendable {
    /// Which text: 0 is the pipeline file, the others are `--set` arguments in their order.
    package var source: UInt16
    package var start: UInt32
    /// Behind the last character.
    package var end: UInt32

    package init(source: Int = 0, _ start: Int, _ end: Int) {
        self.source = UInt16(clamping: source)
        self.start = UInt32(clamping: start)
        self.end = UInt32(clamping: max(start, end))
    }
}
