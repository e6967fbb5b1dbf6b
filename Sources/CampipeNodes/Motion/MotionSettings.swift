import CampipeKit

/// How easily motion is seen.
enum Sensitivity: String, OptionChoice {
    case low, medium, high
}

/// The numbers behind a sensitivity; each can be set by itself.
struct MotionSettings: Hashable, Sendable {
    /// The picture is reduced to at least as many columns, and less than twice as many.
    var columns: Int
    /// Levels by which a cell must differ at least, whatever the noise.
    var threshold: Int
    /// The share of the picture that a moving region covers at least.
    var minimumArea: Double
    /// Whether a change must go on: one that happens once, such as a lamp that is switched, is none.
    var confirms: Bool

    init(_ sensitivity: Sensitivity) {
        switch sensitivity {
        case .low: (columns, threshold, minimumArea, confirms) = (160, 22, 0.008, true)
        case .medium: (columns, threshold, minimumArea, confirms) = (160, 14, 0.002, true)
        case .high: (columns, threshold, minimumArea, confirms) = (320, 9, 0.0004, false)
        }
    }

    /// Cells that a mover has at least, of a picture of so many.
    func minimumCells(of count: Int) -> Int { max(6, Int((minimumArea * Double(count)).rounded())) }

    /// The share of cells that must change at once for the light, not a mover, to have done it.
    static let lightSwitch = 0.6
    /// Pictures are compared with one at least as old, so that what moves slowly has moved at all.
    static let baseline = Duration.milliseconds(150)
    /// Nothing counts as motion so soon after the first picture.
    static let warmUp = Duration.milliseconds(400)
    /// A camera that was silent for longer begins anew.
    static let longestPause = Duration.seconds(30)
}
