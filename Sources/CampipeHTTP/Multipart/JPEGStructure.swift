#if canImport(Glibc)
    import Glibc
#endif

/// Follows the markers and segment lengths of one JPEG over arriving bytes, to know where the picture ends.
///
/// Structure alone decides (ITU-T T.81 annex B): segments are skipped by their length, so a thumbnail inside APPn never
/// ends the picture; inside a scan FF00, restart markers and fill bytes are data. The entropy coded bytes themselves
/// are not looked at. It holds no bytes but those of an MP index, and any split of the bytes gives the same answers.
package struct JPEGStructure: Sendable {
    /// What is accepted of a picture.
    package struct Limits: Sendable {
        /// Bytes of one picture.
        package var bytes: Int
        /// Pixels of one picture, tested before anybody allocates them.
        package var pixels: Int

        package init(bytes: Int = 32 << 20, pixels: Int = 100_000_000) {
            self.bytes = bytes
            self.pixels = pixels
        }
    }

    /// What the bytes given last led to.
    package enum Step: Equatable, Sendable {
        /// All are part of the picture, and it goes on.
        case more
        /// The picture is whole; the first `consumed` bytes belonged to it.
        case ended(consumed: Int)
        /// The picture has no end of its own: the start of another (FF D8 FF) was met. `consumed` counts these three
        /// bytes too, the first of which may have come earlier.
        case anotherBegan(consumed: Int)
        /// This is no JPEG, as the last of the first `consumed` bytes shows.
        case broken(consumed: Int)
    }

    private enum State: Sendable {
        case start, startCode
        case marker, code
        case lengthHigh, lengthLow
        case frameHeader
        case segment
        case scan, scanCode, scanStart
        case over
    }

    private var state: State
    private var segmentCode: UInt8 = 0
    private var remaining = 0
    private var frameHeaderBytes: (UInt32, Int) = (0, 0)
    private let limits: Limits

    /// Bytes seen of this picture.
    package private(set) var count = 0
    /// Width in pixels; 0 until the frame header came.
    package private(set) var width = 0
    /// Height in pixels; 0 until the frame header came.
    package private(set) var height = 0
    /// Where the first scan's data begins, counted from the picture's first byte; nil while still in the headers.
    package private(set) var scanOffset: Int?
    /// Whether a Huffman table was defined; browsers need the standard ones put in where there is none.
    package private(set) var hasHuffmanTables = false
    package private(set) var isProgressive = false
    /// How many pictures the file holds that begins here; nil where it does not say.
    private(set) var picturesInFile: Int?
    private var index = MultiPictureIndex()

    /// Waits for FF D8.
    package init(limits: Limits = Limits()) {
        self.limits = limits
        state = .start
    }

    /// The state after FF D8 FF.
    package static func begun(limits: Limits) -> JPEGStructure {
        var structure = JPEGStructure(limits: limits)
        structure.state = .code
        structure.count = 3
        return structure
    }

    /// Whether the bytes seen last are entropy coded data, the only place where a picture may lose its end unnoticed.
    package var isInScan: Bool { scanOffset != nil && (state == .scan || state == .scanCode || state == .scanStart) }

    /// Whether the picture is beyond a limit; it can still be followed to its end.
    package var isTooLarge: Bool { count > limits.bytes || hasTooManyPixels }

    /// Whether the frame header says so; known before any of its data came.
    package var hasTooManyPixels: Bool { height > 0 && width > limits.pixels / height }

    /// Follows `bytes`, which come right after those given before.
    package mutating func follow(_ bytes: UnsafeRawBufferPointer) -> Step {
        var position = 0
        let end = bytes.count
        let before = count
        defer { count = before + position }
        while position < end {
            switch state {
            case .segment:
                let step = min(remaining, end - position)
                if segmentCode == 0xE2, picturesInFile == nil {
                    unsafe index.take(UnsafeRawBufferPointer(rebasing: bytes[position..<position + step]))
                }
                position += step
                remaining -= step
                if remaining == 0 { closeSegment(at: before + position) }
            case .scan:
                guard let found = unsafe bytes.firstPosition(of: 0xFF, from: position) else {
                    position = end
                    return .more
                }
                position = found + 1
                state = .scanCode
            default:
                let byte = unsafe bytes[position]
                position += 1
                guard let step = take(byte, at: before + position) else { continue }
                switch step {
                case .ended: return .ended(consumed: position)
                case .anotherBegan: return .anotherBegan(consumed: position)
                default: return .broken(consumed: position)
                }
            }
        }
        return .more
    }

    /// One byte outside of runs; the result's count is not filled in.
    private mutating func take(_ byte: UInt8, at offset: Int) -> Step? {
        switch state {
        case .start:
            state = .startCode
            return byte == 0xFF ? nil : broken()
        case .startCode:
            state = .marker
            return byte == 0xD8 ? nil : broken()
        case .marker:
            if byte == 0xFF {
                state = .code
            } else if scanOffset != nil {
                state = .scan  // damage inside a scan that looked like a segment
            } else {
                return broken()
            }
            return nil
        case .code: return takeCode(byte)
        case .lengthHigh:
            remaining = Int(byte) << 8
            state = .lengthLow
            return nil
        case .lengthLow: return takeLength(remaining | Int(byte), at: offset)
        case .frameHeader: return takeFrameHeader(byte, at: offset)
        case .scanCode: return takeScanCode(byte)
        case .scanStart:
            if byte == 0xFF {
                state = .over
                return .anotherBegan(consumed: 0)
            }
            guard scanOffset != nil else { return broken() }
            state = .scan
            return nil
        case .segment, .scan, .over: return broken()
        }
    }

    /// The code of a marker between segments.
    private mutating func takeCode(_ code: UInt8) -> Step? {
        switch code {
        case 0xFF: return nil  // fill
        case 0xD9:
            state = .over
            return scanOffset == nil ? broken() : .ended(consumed: 0)
        case 0xD8:
            state = .scanStart
            return nil
        case 0x01, 0xD0...0xD7:
            state = .marker
            return nil
        case 0xC0...0xFE:
            segmentCode = code
            state = .lengthHigh
            return nil
        default: return broken()
        }
    }

    private mutating func takeScanCode(_ code: UInt8) -> Step? {
        switch code {
        case 0xFF: return nil  // fill
        case 0xD9:
            state = .over
            return .ended(consumed: 0)
        case 0xD8: state = .scanStart
        case 0xC4, 0xCC, 0xDA, 0xDB, 0xDC, 0xDD, 0xFE:  // what stands between the scans of a picture
            segmentCode = code
            state = .lengthHigh
        default: state = .scan  // stuffing, restart markers, or damage that the decoder will meet
        }
        return nil
    }

    private mutating func takeLength(_ length: Int, at offset: Int) -> Step? {
        guard length >= 2 else {
            if scanOffset != nil {
                state = .scan
                return nil
            }
            return broken()
        }
        remaining = length - 2
        if isFrameHeader(segmentCode) {
            guard width == 0, remaining >= 6 else { return broken() }
            frameHeaderBytes = (0, 0)
            state = .frameHeader
            return nil
        }
        if segmentCode == 0xDA, width == 0 { return broken() }
        state = .segment
        if remaining == 0 { closeSegment(at: offset) }
        return nil
    }

    private func isFrameHeader(_ code: UInt8) -> Bool {
        (0xC0...0xCF).contains(code) && code != 0xC4 && code != 0xC8 && code != 0xCC
    }

    /// Precision, two bytes of height, two of width (T.81 B.2.2). A height of 0 (DNL) is refused: nothing shows it.
    private mutating func takeFrameHeader(_ byte: UInt8, at offset: Int) -> Step? {
        remaining -= 1
        if frameHeaderBytes.1 > 0 { frameHeaderBytes.0 = frameHeaderBytes.0 << 8 | UInt32(byte) }
        frameHeaderBytes.1 += 1
        guard frameHeaderBytes.1 == 5 else { return nil }
        height = Int(frameHeaderBytes.0 >> 16)
        width = Int(frameHeaderBytes.0 & 0xFFFF)
        isProgressive = segmentCode == 0xC2
        guard height > 0, width > 0 else { return broken() }
        state = .segment
        if remaining == 0 { closeSegment(at: offset) }
        return nil
    }

    private mutating func closeSegment(at offset: Int) {
        if segmentCode == 0xC4 { hasHuffmanTables = true }
        if segmentCode == 0xE2 {
            picturesInFile = picturesInFile ?? index.pictures
            index = MultiPictureIndex()
        }
        if segmentCode == 0xDA {
            if scanOffset == nil { scanOffset = offset }
            state = .scan
        } else {
            state = .marker
        }
    }

    private mutating func broken() -> Step {
        state = .over
        return .broken(consumed: 0)
    }
}

extension UnsafeRawBufferPointer {
    /// The position of the first `byte` at or after `start`.
    func firstPosition(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress else { return nil }
        guard let found = unsafe memchr(base + start, Int32(byte), count - start) else { return nil }
        return unsafe UnsafeRawPointer(found) - base
    }

    /// The position of the first `needle` at or after `start`.
    func firstPosition(of needle: [UInt8], from start: Int) -> Int? {
        guard let first = needle.first else { return nil }
        var position = start
        while let found = unsafe firstPosition(of: first, from: position), found + needle.count <= count {
            var matched = 1
            while matched < needle.count, unsafe self[found + matched] == needle[matched] { matched += 1 }
            if matched == needle.count { return found }
            position = found + 1
        }
        return nil
    }
}
