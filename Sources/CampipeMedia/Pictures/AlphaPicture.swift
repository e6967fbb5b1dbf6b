/// A picture with transparency, such as a logo: a value, rows of red, green, blue and alpha, 0…255, with the colours
/// already multiplied by alpha, so that neighbours can be mixed without a fringe.
package struct AlphaPicture: Hashable, Sendable {
    /// Columns.
    package let width: Int
    /// Rows.
    package let height: Int
    /// Four bytes a pixel, row by row, without padding.
    package let pixels: [UInt8]

    /// - Parameter pixels: Premultiplied, four bytes a pixel.
    package init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 4, "four bytes a pixel")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// From rows whose colours were not multiplied by alpha, as PNG has them.
    init(width: Int, height: Int, straight: [UInt8]) {
        var pixels = straight
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = Int(pixels[index + 3])
            if alpha == 255 { continue }
            for color in index..<(index + 3) { pixels[color] = UInt8((Int(pixels[color]) * alpha + 127) / 255) }
        }
        self.init(width: width, height: height, pixels: pixels)
    }

    /// The same picture in another size: what becomes smaller is averaged, what becomes larger is interpolated.
    ///
    /// - Parameters:
    ///   - width: New columns, at least 1.
    ///   - height: New rows, at least 1.
    package func scaled(toWidth width: Int, height: Int) -> AlphaPicture {
        let (width, height) = (max(1, width), max(1, height))
        if width == self.width, height == self.height { return self }
        let across = Self.taps(from: self.width, to: width)
        let down = Self.taps(from: self.height, to: height)
        var narrow = [Float](repeating: 0, count: width * self.height * 4)
        for y in 0..<self.height {
            for x in 0..<width {
                let tap = across[x]
                for channel in 0..<4 {
                    var sum: Float = 0
                    for (index, weight) in tap.weights.enumerated() {
                        sum += weight * Float(pixels[(y * self.width + tap.first + index) * 4 + channel])
                    }
                    narrow[(y * width + x) * 4 + channel] = sum
                }
            }
        }
        var result = [UInt8](repeating: 0, count: width * height * 4)
        for y in 0..<height {
            let tap = down[y]
            for column in 0..<width * 4 {
                var sum: Float = 0
                for (index, weight) in tap.weights.enumerated() {
                    sum += weight * narrow[(tap.first + index) * width * 4 + column]
                }
                result[y * width * 4 + column] = UInt8(min(255, max(0, sum.rounded())))
            }
        }
        return AlphaPicture(width: width, height: height, pixels: result)
    }

    /// Which samples make each new one, and how much each counts: a triangle as wide as the step.
    private static func taps(from count: Int, to target: Int) -> [(first: Int, weights: [Float])] {
        let step = Float(count) / Float(target)
        let reach = max(1, step)
        return (0..<target).map { place in
            let center = (Float(place) + 0.5) * step - 0.5
            let first = max(0, Int((center - reach).rounded(.up)))
            let last = min(count - 1, Int((center + reach).rounded(.down)))
            var weights = (first...max(first, last)).map { max(0, 1 - abs(Float($0) - center) / reach) }
            let sum = weights.reduce(0, +)
            // One that lies on no sample's triangle takes the nearest.
            weights = sum > 0 ? weights.map { $0 / sum } : weights.indices.map { $0 == 0 ? 1 : 0 }
            return (first, weights)
        }
    }
}
