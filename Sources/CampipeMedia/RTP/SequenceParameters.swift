package import CampipeKit

/// What a sequence parameter set says that a pipeline needs: size, profile, how far pictures are reordered. A value.
package struct SequenceParameters: Hashable, Sendable {
    package var profile: Int
    package var level: Int
    /// After cropping.
    package var size: Size
    /// How many pictures may come before one that is shown before them; nil where it is not said.
    package var reordering: Int?
    /// Of pixels that are not square.
    package var aspect: SampleAspect?
    /// The highest temporal layer that H.265 may have; 0 of H.264.
    var topLayer = 0
    /// `chroma_format_idc`: 0 is grey, 1 is 4:2:0.
    var chroma = 1
    /// Bits of a sample.
    var lumaDepth = 8
    var chromaDepth = 8
    /// Whether an H.264 profile says its chroma and depths (`profile_idc` 100 and its like).
    var saysChroma = false

    private static let largestSide = 16_384

    /// H.264 (ITU-T H.264 7.3.2.1.1).
    ///
    /// - Parameter unit: The NAL unit, its head included.
    /// - Returns: nil when it is broken, or larger than any picture is.
    package init?(h264 unit: ArraySlice<UInt8>) {
        guard unit.count > 4, let head = unit.first, head & 31 == 7 else { return nil }
        var bits = BitReader(unit: unit.dropFirst())
        profile = Int(bits.bits(8))
        bits.skip(8)
        level = Int(bits.bits(8))
        _ = bits.code()
        var chroma: UInt32 = 1
        var isSeparate = false
        if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
            chroma = bits.code()
            if chroma == 3 { isSeparate = bits.bit() }
            let (luma, colour) = (bits.code(), bits.code())
            guard chroma <= 3, luma <= 6, colour <= 6 else { return nil }
            (saysChroma, self.chroma, lumaDepth, chromaDepth) = (true, Int(chroma), 8 + Int(luma), 8 + Int(colour))
            bits.skip(1)
            if bits.bit() {
                for index in 0..<(chroma == 3 ? 12 : 8) where bits.bit() {
                    Self.skipScaling(&bits, index < 6 ? 16 : 64)
                }
            }
        }
        _ = bits.code()
        let order = bits.code()
        if order == 0 {
            _ = bits.code()
        } else if order == 1 {
            bits.skip(1)
            _ = (bits.signedCode(), bits.signedCode())
            let count = bits.code()
            guard count < 256 else { return nil }
            for _ in 0..<count { _ = bits.signedCode() }
        }
        _ = bits.code()
        bits.skip(1)
        let columns = Int(bits.code()) + 1
        let rows = Int(bits.code()) + 1
        let isFrame = bits.bit()
        if !isFrame { bits.skip(1) }
        bits.skip(1)
        guard columns <= Self.largestSide / 16, rows <= Self.largestSide / 16 else { return nil }
        var width = columns * 16
        var height = rows * (isFrame ? 16 : 32)
        if bits.bit() {
            let (left, right, top, bottom) = (bits.code(), bits.code(), bits.code(), bits.code())
            guard max(left, right, top, bottom) < Self.largestSide else { return nil }
            let unitX = chroma == 0 || isSeparate || chroma == 3 ? 1 : 2
            let unitY = (chroma == 1 ? 2 : 1) * (isFrame ? 1 : 2)
            width -= Int(left + right) * unitX
            height -= Int(top + bottom) * unitY
        }
        guard !bits.isOverrun, width > 0, height > 0, height <= Self.largestSide else { return nil }
        size = Size(width, height)
        // Types of order 2 and the baseline profile have none (7.4.2.1.1, A.2.1).
        reordering = order == 2 || profile == 66 ? 0 : nil
        guard bits.bit() else { return }
        aspect = SampleAspect.read(&bits)
        reordering = Self.reordering(&bits) ?? reordering
    }

    private static func skipScaling(_ bits: inout BitReader, _ count: Int) {
        var (last, next) = (8, 8)
        for _ in 0..<count {
            if next != 0 { next = (last + bits.signedCode() + 256) & 255 }
            last = next == 0 ? last : next
        }
    }

    /// `max_num_reorder_frames` at the end of the usability information (E.1.1), behind the shape of the pixels.
    private static func reordering(_ bits: inout BitReader) -> Int? {
        if bits.bit() { bits.skip(1) }
        if bits.bit() {
            bits.skip(4)
            if bits.bit() { bits.skip(24) }
        }
        if bits.bit() { _ = (bits.code(), bits.code()) }
        if bits.bit() { bits.skip(65) }
        var hasDelay = false
        for _ in 0..<2 where bits.bit() {
            hasDelay = true
            let count = bits.code()
            guard count < 32 else { return nil }
            bits.skip(8)
            for _ in 0...count {
                _ = (bits.code(), bits.code())
                bits.skip(1)
            }
            bits.skip(20)
        }
        if hasDelay { bits.skip(1) }
        bits.skip(1)
        guard bits.bit() else { return nil }
        bits.skip(1)
        _ = (bits.code(), bits.code(), bits.code(), bits.code())
        let found = bits.code()
        return bits.isOverrun || found > 16 ? nil : Int(found)
    }

    /// H.265 (ITU-T H.265 7.3.2.2.1).
    ///
    /// - Parameter unit: The NAL unit, its head of two bytes included.
    /// - Returns: nil when it is broken, or larger than any picture is.
    package init?(h265 unit: ArraySlice<UInt8>) {
        guard unit.count > 4, let head = unit.first, head >> 1 & 63 == 33 else { return nil }
        var bits = BitReader(unit: unit.dropFirst(2))
        bits.skip(4)
        let layers = Int(bits.bits(3))
        topLayer = layers
        bits.skip(1)
        bits.skip(3)
        profile = Int(bits.bits(5))
        bits.skip(32 + 48)
        level = Int(bits.bits(8))
        var flags: [(Bool, Bool)] = []
        for _ in 0..<layers { flags.append((bits.bit(), bits.bit())) }
        if layers > 0 { bits.skip((8 - layers) * 2) }
        for (hasProfile, hasLevel) in flags {
            if hasProfile { bits.skip(88) }
            if hasLevel { bits.skip(8) }
        }
        _ = bits.code()
        let chroma = bits.code()
        var isSeparate = false
        if chroma == 3 { isSeparate = bits.bit() }
        let (columns, rows) = (bits.code(), bits.code())
        guard columns <= Self.largestSide, rows <= Self.largestSide else { return nil }
        var (width, height) = (Int(columns), Int(rows))
        if bits.bit() {
            let (left, right, top, bottom) = (bits.code(), bits.code(), bits.code(), bits.code())
            guard max(left, right, top, bottom) < Self.largestSide else { return nil }
            width -= Int(left + right) * (chroma == 0 || isSeparate || chroma == 3 ? 1 : 2)
            height -= Int(top + bottom) * (chroma == 1 ? 2 : 1)
        }
        let (luma, colour) = (bits.code(), bits.code())
        guard chroma <= 3, luma <= 8, colour <= 8 else { return nil }
        (self.chroma, lumaDepth, chromaDepth) = (Int(chroma), 8 + Int(luma), 8 + Int(colour))
        let countBits = bits.code() &+ 4
        let hasAll = bits.bit()
        var found: UInt32 = 0
        for _ in (hasAll ? 0 : layers)...layers {
            _ = bits.code()
            found = bits.code()
            _ = bits.code()
        }
        guard !bits.isOverrun, width > 0, height > 0 else { return nil }
        size = Size(width, height)
        reordering = found > 16 ? nil : Int(found)
        if Self.skipToUsability(&bits, countBits: countBits) { aspect = SampleAspect.read(&bits) }
        if bits.isOverrun { aspect = nil }
    }
}
