/// What the heads of NAL units say, of H.264 (ITU-T H.264 7.3.1, 7.4.1) and H.265 (ITU-T H.265 7.3.1.2, 7.4.2.2).
enum VideoCoding: Sendable {
    case h264, h265

    /// What a unit is for.
    enum Unit: Hashable, Sendable {
        /// A piece of a picture.
        case slice
        /// A parameter set: of the video (VPS), the sequence (SPS) or pictures (PPS).
        case set(ParameterSets.Kind)
        case other
    }

    /// The unit's type, by its head.
    func type(_ head: UInt8) -> UInt8 { self == .h264 ? head & 31 : head >> 1 & 63 }

    func unit(_ head: UInt8) -> Unit {
        switch (self, type(head)) {
        case (.h264, 1...5), (.h265, 0...31): .slice
        case (.h264, 7), (.h265, 33): .set(.sequence)
        case (.h264, 8), (.h265, 34): .set(.picture)
        case (.h265, 32): .set(.video)
        default: .other
        }
    }

    /// Whether a unit marks where an access unit begins.
    func isDelimiter(_ head: UInt8) -> Bool { type(head) == (self == .h264 ? 9 : 35) }

    /// Whether a slice is the first of its picture: its first macroblock or segment is the picture's.
    func beginsPicture(_ unit: ArraySlice<UInt8>) -> Bool {
        let place = unit.startIndex + (self == .h264 ? 1 : 2)
        return place < unit.endIndex && unit[place] & 0x80 != 0
    }
}

/// What an access unit is to a decoder, by the heads of its NAL units. A value.
struct AccessUnitKind: Hashable, Sendable {
    /// Whether it decodes alone: H.264's IDR, or an I picture with a recovery point at it (7.4.1.2.4, D.2.8); H.265's
    /// IRAP.
    var isKey = false
    /// Whether no other picture refers to it.
    var isDisposable = false
    /// Whether it can be decoded only when the picture before the random access point was (H.265's RASL).
    var isLeading = false
    /// Whether there is a picture in it.
    var hasPicture = false
    /// Whether its picture's first slice is there.
    var hasBeginning = false

    init(_ bytes: [UInt8], units: [Range<Int>], coding: VideoCoding) {
        var isReferenced = false
        var canRecover = false
        var hasInter = false
        for unit in units {
            let head = bytes[unit.lowerBound]
            let type = coding.type(head)
            if coding == .h264, type == 6 { canRecover = canRecover || Self.recovers(bytes[unit]) }
            guard coding.unit(head) == .slice else { continue }
            hasPicture = true
            hasBeginning = hasBeginning || coding.beginsPicture(bytes[unit])
            switch coding {
            case .h264:
                if type == 5 { isKey = true }
                if head >> 5 & 3 != 0 { isReferenced = true }
                if !Self.isIntra(bytes[unit]) { hasInter = true }
            case .h265:
                if (16...23).contains(type) { isKey = true }
                // Below 16 the even ones are not referred to in their layer.
                if type >= 16 || type & 1 == 1 { isReferenced = true }
                if type == 8 || type == 9 { isLeading = true }
            }
        }
        if coding == .h264, canRecover, hasPicture, !hasInter { isKey = true }
        isDisposable = hasPicture && !isReferenced && !isKey
    }

    /// Whether a slice of H.264 is an I slice: `first_mb_in_slice`, then `slice_type` (7.3.3).
    private static func isIntra(_ unit: ArraySlice<UInt8>) -> Bool {
        var reader = BitReader(unit: unit.dropFirst().prefix(12))
        _ = reader.code()
        let type = reader.code()
        return !reader.isOverrun && (type % 5 == 2 || type % 5 == 4)
    }

    /// Whether supplemental information says that decoding may begin here, exactly (D.1.8: `recovery_frame_cnt` 0).
    private static func recovers(_ unit: ArraySlice<UInt8>) -> Bool {
        var rest = unit.dropFirst()
        while rest.count > 2 {
            var type = 0
            while let byte = rest.popFirst() {
                type += Int(byte)
                if byte != 255 { break }
            }
            var size = 0
            while let byte = rest.popFirst() {
                size += Int(byte)
                if byte != 255 { break }
            }
            if type == 6 {
                var reader = BitReader(unit: rest.prefix(8))
                return reader.code() == 0 && !reader.isOverrun
            }
            rest = rest.dropFirst(size)
        }
        return false
    }
}
