import CampipeKit

/// Takes the noise of a camera at night out of pictures: a pixel that hardly changes is averaged over time.
///
/// A pixel that changes by more than `limit` is taken as it is, so that what moves leaves no trail. It works on luma in
/// place, and keeps a plane of 16 bits a pixel.
struct Denoise: Transform {
    static let name = "denoise"
    static let summary = "Takes noise out of pictures by averaging over time what does not move."
    static let accepts: [Format] = [
        .frames(.gray8), .frames(.yuv420), .frames(.yuv422), .frames(.yuv444), .frames(.nv12),
    ]

    @Option(0...95, "How much of the picture before stays, in percent; 0 does nothing.") var strength = 75
    @Option(1...255, "Luma levels by which a pixel may change and still be noise.") var limit = 12

    /// The average so far, in 256ths of a level; empty where the next picture is the first.
    private var average: [UInt16] = []

    mutating func begin(_ input: Format) throws { average = [] }

    mutating func gap(_ gap: Gap) {
        if gap.isLost { average = [] }
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        let count = frame.size.pixels
        let isFirst = average.count != count
        if isFirst { average = [UInt16](repeating: 0, count: count) }
        let new = Int32(256 * (100 - strength) / 100)
        let most = Int32(limit) << 8
        frame.withMutablePlane(0) { first, plane in
            average.withUnsafeMutableBufferPointer { average in
                guard let kept = average.baseAddress else { return }
                for y in 0..<plane.height {
                    let row = first + y * plane.stride
                    let before = kept + y * plane.width
                    for x in 0..<plane.width {
                        let level = Int32(row[x]) << 8
                        let old = Int32(before[x])
                        let change = level &- old
                        let isNoise = !isFirst && change <= most && change >= 0 &- most
                        let mixed = isNoise ? old &+ (change &* new) >> 8 : level
                        before[x] = UInt16(truncatingIfNeeded: mixed)
                        row[x] = UInt8(truncatingIfNeeded: min(mixed &+ 128, 65_535) >> 8)
                    }
                }
            }
        }
        output.emit(frame)
    }
}
