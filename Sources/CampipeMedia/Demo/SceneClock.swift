import CampipeKit

/// The burnt-in clock of a demo camera, in digits of five by seven dots.
enum SceneClock {
    /// Bits of seven rows, the leftmost dot highest.
    private static let glyphs: [Character: [UInt8]] = [
        "0": [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        "1": [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        "2": [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        "3": [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        "4": [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        "5": [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        "6": [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        "7": [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        "8": [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        "9": [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        ":": [0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000],
        "D": [0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110],
        "E": [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111],
        "M": [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001],
        "O": [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
    ]

    /// What it shows: the scene begins at ten in the evening.
    static func text(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "DEMO \(two((22 + seconds / 3600) % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    /// Draws the clock into the top left corner, white on a dark strip.
    static func draw(_ seconds: Int, into buffer: PixelBuffer) {
        let text = text(seconds)
        let dot = max(1, buffer.size.height / 200)
        let (left, top) = (4 * dot & ~1, 4 * dot & ~1)
        let (width, height) = ((text.count * 6 + 3) * dot + 1 & ~1, 11 * dot + 1 & ~1)
        guard left + width <= buffer.size.width, top + height <= buffer.size.height else { return }
        for index in 1...2 {
            unsafe buffer.withMutablePlane(index) { base, plane in
                for y in (top / 2)..<((top + height) / 2) {
                    unsafe (base + y * plane.stride + left / 2).update(repeating: 128, count: width / 2)
                }
            }
        }
        unsafe buffer.withMutablePlane(0) { base, plane in
            for y in top..<(top + height) {
                unsafe (base + y * plane.stride + left).update(repeating: 20, count: width)
            }
            for (position, character) in text.enumerated() {
                guard let rows = glyphs[character] else { continue }
                for (row, bits) in rows.enumerated() {
                    for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
                        let x = left + (2 + position * 6 + column) * dot
                        for line in 0..<dot {
                            let y = top + (2 + row) * dot + line
                            unsafe (base + y * plane.stride + x).update(repeating: 225, count: dot)
                        }
                    }
                }
            }
        }
    }
}
