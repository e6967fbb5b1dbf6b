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
    /// Whether no other picture refers to it; of H.265 none of its own temporal layer or those below.
    var isDisposable = false
    /// H.265's temporal layer, 0 of H.264: pictures of higher layers may refer to it.
    var layer = 0
    /// Whether it can be decoded only when the picture before the random access point was (H.265's RASL).
    var isLeading = false
    /// Whether there is a picture in it.
    var hasPicture = false
    /// Whether its picture's first slice is there.
    var hasBeginning = false
    /// Whether it refers to no other picture, though it is no keyframe; of H.265 not known.
    var isIntra = false
    /// Whether decoding may begin here and is right some pictures later: supplemental information says so (H.264 D.2.8,
    /// H.265 D.3.8), as encoders do that refresh a part of each picture and send no keyframes.
    var canRecover = false

    init(_ bytes: [UInt8], units: [Range<Int>], coding: VideoCoding) {
        var isReferenced = false
        var isExact = false
        var hasInter = false
        for unit in units {
            let head = bytes[unit.lowerBound]
            let type = coding.type(head)
            if type == (coding == .h264 ? 6 : 39),
                let count = Self.recovery(bytes[unit].dropFirst(coding == .h264 ? 1 : 2), coding)
            {
                canRecover = true
                isExact = isExact || count == 0
            }
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
                if unit.count > 1 { layer = max(layer, Int(bytes[unit.lowerBound + 1] & 7) - 1) }
            }
        }
        isIntra = coding == .h264 && hasPicture && !hasInter
        if isExact, isIntra { isKey = true }
        isDisposable = hasPicture && !isReferenced && !isKey
    }

    /// Whether a slice of H.264 is an I slice: `first_mb_in_slice`, then `slice_type` (7.3.3).
    private static func isIntra(_ unit: ArraySlice<UInt8>) -> Bool {
        var reader = BitReader(unit: unit.dropFirst().prefix(12))
        _ = reader.code()
        let type = reader.code()
        return !reader.isOverrun && (type % 5 == 2 || type % 5 == 4)
    }

    /// How many pictures after this one the pictures are right when decoding begins here (H.264 D.1.8:
    /// `recovery_frame_cnt`; H.265 D.2.8: `recovery_poc_cnt`); nil where nothing is said of it.
    private static func recovery(_ messages: ArraySlice<UInt8>, _ coding: VideoCoding) -> Int? {
        var rest = messages
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
                let count = coding == .h264 ? Int(reader.code()) : reader.signedCode()
                return reader.isOverrun ? nil : count
            }
            rest = rest.dropFirst(size)
        }
        return nil
    }
}
