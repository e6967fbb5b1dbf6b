import CampipeKit

/// Turns grey pictures into black and white.
///
/// In a pipeline file:
///
///     transforms:
///       mask: {type: threshold, input: front, level: 99}
struct Threshold: Transform {
    static let name = "threshold"
    static let summary = "Turns grey pictures into black and white."
    static let accepts: [Format] = [.frames(.gray8)]

    @Option(0...255, "Cut-off, in luma levels.") var level = 128

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        frame.mapLuma { $0 > level ? 255 : 0 }
        output.emit(frame)
    }
}
