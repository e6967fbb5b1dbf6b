/// What reading a text gave.
package struct YAMLReading: Sendable {
    package var text: SourceText
    /// The tree; nil when there is nothing to go on with.
    package var root: LocatedValue?
    package var diagnostics: [Diagnostic]
    /// Values whose meaning could not be told, which is among the diagnostics.
    var broken: Set<Mark> = []
}
