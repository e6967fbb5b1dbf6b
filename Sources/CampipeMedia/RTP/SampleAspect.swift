package import CampipeKit

/// How wide a pixel is to how high it is, where pixels are not square: anamorphic cameras send 704x576 that is to be
/// shown as 768x576. A value.
package struct SampleAspect: Hashable, Sendable {
    package let width: Int
    package let height: Int

    /// - Returns: nil where pixels are square, or nothing sensible is said: no camera's are more than four times as wide
    ///   as high, or the other way round.
    package init?(_ width: Int, _ height: Int) {
        guard width > 0, height > 0, width != height, width <= height * 4, height <= width * 4 else { return nil }
        self.width = width
        self.height = height
    }

    /// By `aspect_ratio_idc` (ITU-T H.264 table E-1; H.265 has the same).
    private static let usual = [
        (0, 0), (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11),
        (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]

    /// Reads the beginning of the usability information (ITU-T H.264 E.1.1, H.265 E.2.1).
    static func read(_ bits: inout BitReader) -> SampleAspect? {
        guard bits.bit() else { return nil }
        let kind = Int(bits.bits(8))
        guard kind == 255 else {
            return usual.indices.contains(kind) ? SampleAspect(usual[kind].0, usual[kind].1) : nil
        }
        let (width, height) = (Int(bits.bits(16)), Int(bits.bits(16)))
        return bits.isOverrun ? nil : SampleAspect(width, height)
    }

    /// The size at which a picture with such pixels is to be shown; nothing is made smaller.
    package func shown(_ size: Size) -> Size {
        width > height
            ? Size((size.width * width + height / 2) / height, size.height)
            : Size(size.width, (size.height * height + width / 2) / width)
    }
}

extension PacketFormat {
    /// What the parameter sets of H.264 and H.265 say of their pixels; nil where these are square.
    package var sampleAspect: SampleAspect? {
        guard let coding, let units = sequenceUnits else { return nil }
        return units.lazy.compactMap { unit in
            coding == .h264 ? SequenceParameters(h264: unit[...]) : SequenceParameters(h265: unit[...])
        }.first?.aspect
    }

    /// The sequence parameter sets, each a NAL unit; of a record (avcC, hvcC; ISO/IEC 14496-15 5.3.3, 8.3.3) or between
    /// start codes.
    private var sequenceUnits: [[UInt8]]? {
        guard coding == .h264 || coding == .h265, let bytes = parameterSets?.array, bytes.count > 8 else { return nil }
        let coding: VideoCoding = coding == .h264 ? .h264 : .h265
        let units =
            bytes[0] == 0 ? NALUnits.find(in: bytes).map { Array(bytes[$0]) } : Self.units(ofRecord: bytes, coding)
        return units.filter { coding.unit($0[0]) == .set(.sequence) }
    }

    /// The units of a record of any kind.
    static func units(ofRecord bytes: [UInt8], _ coding: VideoCoding) -> [[UInt8]] {
        var at = coding == .h264 ? 5 : 22
        var found: [[UInt8]] = []
        func number() -> Int? {
            guard at + 2 <= bytes.count else { return nil }
            defer { at += 2 }
            return Int(bytes[at]) << 8 | Int(bytes[at + 1])
        }
        func take(_ count: Int) {
            for _ in 0..<count {
                guard let length = number(), length > 0, at + length <= bytes.count else { return }
                found.append(Array(bytes[at..<(at + length)]))
                at += length
            }
        }
        guard at < bytes.count else { return [] }
        let count = Int(bytes[at])
        at += 1
        if coding == .h264 {
            take(count & 31)
        } else {
            for _ in 0..<count {
                at += 1
                guard let units = number() else { break }
                take(units)
            }
        }
        return found
    }
}
