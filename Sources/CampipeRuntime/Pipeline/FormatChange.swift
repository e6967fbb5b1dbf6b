import CampipeKit

/// A format that an output of what is not live announced, and that is planned for once what it replaces has run dry.
struct FormatChange {
    let output: PlannedOutput
    let format: Format
    /// The links that were ended for it; what is behind them runs dry.
    var ended: Set<LinkKey> = []
    init(_ output: PlannedOutput, _ format: Format) {
        self.output = output
        self.format = format
    }
}
