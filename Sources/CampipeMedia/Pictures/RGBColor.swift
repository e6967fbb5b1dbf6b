package import CampipeKit

/// A colour as people write it.
package struct RGBColor: Hashable, Sendable {
    /// Red, 0…255.
    package var red: UInt8
    /// Green, 0…255.
    package var green: UInt8
    /// Blue, 0…255.
    package var blue: UInt8

    /// A colour by its three levels.
    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// `#rrggbb` or `#rgb`, or a name of `names`; nil for anything else.
    package init?(_ text: String) {
        if let named = Self.names.first(where: { $0.name == text.lowercased() }) {
            self = named.color
            return
        }
        var digits: [UInt8] = []
        for (index, byte) in text.utf8.enumerated() {
            if index == 0 {
                guard byte == UInt8(ascii: "#") else { return nil }
                continue
            }
            switch byte {
            case 48...57: digits.append(byte - 48)
            case 65...70: digits.append(byte - 55)
            case 97...102: digits.append(byte - 87)
            default: return nil
            }
        }
        switch digits.count {
        case 3: self.init(digits[0] * 17, digits[1] * 17, digits[2] * 17)
        case 6: self.init(digits[0] * 16 + digits[1], digits[2] * 16 + digits[3], digits[4] * 16 + digits[5])
        default: return nil
        }
    }

    /// All levels at their highest.
    package static let white = RGBColor(255, 255, 255)
    /// No light.
    package static let black = RGBColor(0, 0, 0)

    /// The colours with a name.
    package static let names: [(name: String, color: RGBColor)] = [
        ("white", .white), ("black", .black), ("red", RGBColor(230, 40, 40)), ("green", RGBColor(40, 200, 80)),
        ("blue", RGBColor(50, 110, 240)), ("yellow", RGBColor(250, 220, 40)), ("orange", RGBColor(250, 140, 30)),
        ("gray", RGBColor(128, 128, 128)), ("magenta", RGBColor(220, 60, 200)), ("cyan", RGBColor(60, 210, 220)),
    ]

    /// The levels of a colour in planes (ITU-R BT.601-7 2.5, BT.709-6 3, BT.2020-2 table 4).
    package func levels(_ range: ColorRange, _ matrix: ColorMatrix) -> (luma: UInt8, blue: UInt8, red: UInt8) {
        let weights = ChannelWeights(range, matrix)
        func level(_ channel: ChannelWeights.Channel) -> UInt8 {
            let level = channel.level(red: Double(red), green: Double(green), blue: Double(blue), whole: 255)
            return UInt8(min(255, max(0, level.rounded())))
        }
        return (level(weights.luma), level(weights.blueDifference), level(weights.redDifference))
    }
}
