import CampipeKit

/// How red, green and blue make the levels of a frame's planes (ITU-R BT.601-7 2.5, BT.709-6 3, BT.2020-2 table 4).
struct ChannelWeights {
    /// One channel: a sum of the three colours, and a level that it begins at.
    struct Channel {
        /// Where no light is, in 0…255.
        var base: Double
        var red: Double
        var green: Double
        var blue: Double

        /// - Parameter whole: What full white would be in the same unit: 255 for bytes.
        func level(red r: Double, green g: Double, blue b: Double, whole: Double) -> Double {
            base * whole / 255 + red * r + green * g + blue * b
        }

        static let red = Channel(base: 0, red: 1, green: 0, blue: 0)
        static let green = Channel(base: 0, red: 0, green: 1, blue: 0)
        static let blue = Channel(base: 0, red: 0, green: 0, blue: 1)
    }

    let luma: Channel
    let blueDifference: Channel
    let redDifference: Channel

    init(_ range: ColorRange, _ matrix: ColorMatrix) {
        let (kr, kb): (Double, Double) =
            switch matrix {
            case .bt601: (0.299, 0.114)
            case .bt709: (0.2126, 0.0722)
            case .bt2020: (0.2627, 0.0593)
            }
        let kg = 1 - kr - kb
        let (low, span, swing): (Double, Double, Double) = range == .full ? (0, 1, 1) : (16, 219.0 / 255, 224.0 / 255)
        let (u, v) = (swing / (2 * (1 - kb)), swing / (2 * (1 - kr)))
        luma = Channel(base: low, red: kr * span, green: kg * span, blue: kb * span)
        blueDifference = Channel(base: 128, red: -kr * u, green: -kg * u, blue: (1 - kb) * u)
        redDifference = Channel(base: 128, red: (1 - kr) * v, green: -kg * v, blue: -kb * v)
    }
}
