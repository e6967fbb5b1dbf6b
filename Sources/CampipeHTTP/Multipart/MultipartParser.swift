import CampipeKit

/// Takes the pictures out of a camera's answer, whatever its shape: multipart, bare JPEGs back to back, one JPEG.
///
/// JPEG structure decides where a picture begins and ends; delimiters, part headers and lengths are hints (cameras send
/// them wrong, doubled or not at all). A picture is handed on with its last byte. One that has no end of image is
/// handed on as damaged when a delimiter, a length that has been right before, or the next picture ends it. The answers
/// do not depend on how the bytes are split. Memory is bounded by the limits, whatever is declared.
///
/// A state machine: no I/O, no clock.
package struct MultipartParser: Sendable {
    /// What is to be done about what came.
    package enum Action: Sendable {
        case picture(JPEGPicture)
        case dropped(PictureDropReason)
    }

    /// Longest line kept of what stands between pictures.
    private static let lineLimit = 8192
    /// After this much without a delimiter a broken stream is searched for pictures alone.
    private static let resyncLimit = 1 << 20

    private enum Mode: Sendable { case text, picture }
    private enum Section: Sendable { case between, headers, body }

    private let limits: JPEGStructure.Limits
    private var mode = Mode.text

    // Between pictures.
    private var boundary: Boundary
    private var section = Section.between
    private var line: [UInt8] = []
    private var part = PartHeaders()
    private var hasBody = false
    private var isSkipping = false
    private var isResyncing = false
    private var resyncedBytes = 0
    /// How much of FF D8 FF has been seen.
    private var startBytes = 0
    private var following = FollowingPictures()

    // Within a picture.
    private var picture = GrowingBytes()
    private var structure: JPEGStructure
    private var isDiscarding = false
    private var retries = 0
    private var lastSize = 0
    /// Whether declared lengths have been right in this stream, so that one may end a picture.
    private var trustsLength = false
    private var checksCut = false

    /// Whether any delimiter was seen.
    package var hasDelimiters: Bool { boundary.isSeen }

    /// - Parameter boundary: The `boundary` parameter of the answer's type, as spelled there; nil when there is none.
    package init(boundary: String?, limits: JPEGStructure.Limits = .init()) {
        self.limits = limits
        self.boundary = Boundary(parameter: boundary)
        structure = JPEGStructure(limits: limits)
    }

    /// Takes the next bytes of the body and appends what they lead to.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, into actions: inout [Action]) {
        var position = 0
        while position < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[position...])
            switch mode {
            case .text: position += unsafe readText(rest, into: &actions)
            case .picture: position += unsafe readPicture(rest, into: &actions)
            }
        }
    }

    /// The body is over.
    ///
    /// - Parameter isComplete: Whether the answer's own length says that all of it came. An answer cut by its
    ///   connection is not complete, and a picture cut so is dropped.
    package mutating func finish(isComplete: Bool, into actions: inout [Action]) {
        guard mode == .picture else {
            closePart(into: &actions)
            return
        }
        mode = .text
        if isDiscarding { return }
        let isWhole = part.length == structure.count || (isComplete && !boundary.isSeen)
        if isWhole, structure.isInScan {
            handOn(isDamaged: true, into: &actions)
        } else {
            picture.removeAll()
            actions.append(.dropped(.truncated))
        }
    }

    // MARK: Between pictures

    /// - Returns: How many bytes were taken; all, unless a picture began.
    private mutating func readText(_ bytes: UnsafeRawBufferPointer, into actions: inout [Action]) -> Int {
        var position = 0
        let end = bytes.count
        while position < end {
            switch startBytes {
            case 0:
                let found = unsafe bytes.firstPosition(of: 0xFF, from: position) ?? end
                unsafe takeText(UnsafeRawBufferPointer(rebasing: bytes[position..<found]), into: &actions)
                position = found
                if found < end {
                    startBytes = 1
                    position += 1
                }
            case 1:
                let byte = unsafe bytes[position]
                if byte == 0xD8 {
                    startBytes = 2
                    position += 1
                } else {
                    takeText([0xFF], into: &actions)
                    startBytes = byte == 0xFF ? 1 : 0
                    position += byte == 0xFF ? 1 : 0
                }
            default:
                startBytes = 0
                if unsafe bytes[position] == 0xFF, mayBegin() {
                    beginPicture()
                    return position + 1
                }
                takeText([0xFF, 0xD8], into: &actions)
            }
        }
        return end
    }

    /// Whether FF D8 FF begins a picture here; in a part of another type, or after a break, only a delimiter counts.
    private mutating func mayBegin() -> Bool {
        if isSkipping && boundary.needle != nil { return false }
        if isResyncing {
            guard resyncedBytes > Self.resyncLimit else { return false }
            isResyncing = false
        }
        return true
    }

    private mutating func takeText(_ bytes: [UInt8], into actions: inout [Action]) {
        unsafe bytes.withUnsafeBytes { unsafe takeText($0, into: &actions) }
    }

    private mutating func takeText(_ bytes: UnsafeRawBufferPointer, into actions: inout [Action]) {
        guard let first = unsafe bytes.first else { return }
        if checksCut {
            checksCut = false
            if first != 0x0D && first != 0x0A && first != UInt8(ascii: "-") { trustsLength = false }
        }
        if isResyncing { resyncedBytes += bytes.count }
        following.skipped(bytes.count)
        var position = 0
        while position < bytes.count {
            let feed = unsafe bytes.firstPosition(of: 0x0A, from: position)
            let stop = feed ?? bytes.count
            let room = max(0, min(stop - position, Self.lineLimit - line.count))
            unsafe line.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[position..<position + room]))
            noteBody(into: &actions)
            guard feed != nil else { return }
            endLine(into: &actions)
            position = stop + 1
        }
    }

    /// In a part's body that is no picture: the first bytes decide that it is skipped.
    private mutating func noteBody(into actions: inout [Action]) {
        guard section == .body, !hasBody, line.contains(where: { $0 != 0x0D }) else { return }
        // A delimiter right after the headers belongs to no body.
        if line.first == UInt8(ascii: "-"), boundary.needle != nil { return }
        hasBody = true
        if !part.isJPEGType {
            isSkipping = true
            actions.append(.dropped(.unsupportedPart(type: part.type)))
        }
    }

    private mutating func endLine(into actions: inout [Action]) {
        defer { line.removeAll(keepingCapacity: true) }
        if line.last == 0x0D { line.removeLast() }
        if let rest = boundary.rest(of: line) {
            closePart(into: &actions)
            following.partBegan()
            section = .headers
            isResyncing = false
            if !rest.isEmpty { _ = part.read(Array(rest)) }  // a delimiter and the first header share a line
            return
        }
        switch section {
        case .between:
            if isResyncing || !part.read(line) { return }
            following.partBegan()
            section = .headers
        case .headers:
            if line.isEmpty {
                section = .body
                if let nested = part.nestedBoundary {
                    boundary = Boundary(parameter: nested)
                    part.forget()
                    section = .between
                }
            } else {
                _ = part.read(line)
            }
        case .body: break
        }
    }

    /// Ends a part that gave no picture, and forgets its headers.
    private mutating func closePart(into actions: inout [Action]) {
        if section != .between, !part.isEmpty, !isSkipping {
            if !part.isJPEGType {
                actions.append(.dropped(.unsupportedPart(type: part.type)))
            } else if part.type.hasPrefix("image/") {
                actions.append(.dropped(.notJPEG))
            }
        }
        forgetPart()
    }

    private mutating func forgetPart() {
        part.forget()
        section = .between
        hasBody = false
        isSkipping = false
    }

    // MARK: Within a picture

    private mutating func beginPicture() {
        mode = .picture
        line.removeAll(keepingCapacity: true)
        isSkipping = false
        checksCut = false
        structure = .begun(limits: limits)
        isDiscarding = false
        if picture.count > 0 { picture.removeAll() }
        // The declared length is only a hint: never more is reserved than what pictures of this stream have needed.
        let usual = max(lastSize + lastSize / 8, 64 << 10)
        picture.reserve(min(part.length ?? usual, usual, limits.bytes) + 16)
        picture.append([0xFF, 0xD8, 0xFF])
    }

    /// - Returns: How many bytes were taken.
    private mutating func readPicture(_ all: UnsafeRawBufferPointer, into actions: inout [Action]) -> Int {
        var bytes = unsafe all
        var stopsAtLength = false
        if trustsLength, let length = part.length, length > structure.count, length - structure.count <= all.count {
            unsafe bytes = UnsafeRawBufferPointer(rebasing: all[..<(length - structure.count)])
            stopsAtLength = true
        }
        let before = structure.count
        let step = unsafe structure.follow(bytes)
        let taken = structure.count - before
        if !isDiscarding {
            unsafe picture.append(UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
            if !structure.hasTooManyPixels, let position = delimiter(from: before) {
                // What came before these bytes is read as text here, the rest by the caller.
                let text = unsafe picture.withBytes { unsafe Array($0[(position + 1)..<max(position + 1, before)]) }
                cut(at: position, into: &actions)
                takeText(text, into: &actions)
                return max(0, position + 1 - before)
            }
            if structure.isTooLarge {
                isDiscarding = true
                picture.removeAll()
                actions.append(.dropped(.tooLarge))
            }
        }
        switch step {
        case .more:
            if stopsAtLength, structure.isInScan {
                checksCut = true
                complete(isDamaged: true, into: &actions)
            }
        case .ended:
            if part.length != nil { trustsLength = part.length == structure.count }
            complete(isDamaged: false, into: &actions)
        case .anotherBegan: endAtNextPicture(into: &actions)
        case .broken: resync(into: &actions)
        }
        return taken
    }

    /// Hands the picture on, or forgets it when it was dropped already, and goes back to reading text.
    private mutating func complete(isDamaged: Bool, into actions: inout [Action]) {
        mode = .text
        if !isDiscarding { handOn(isDamaged: isDamaged, into: &actions) }
        forgetPart()
    }

    private mutating func handOn(isDamaged: Bool, into actions: inout [Action]) {
        retries = 0
        guard
            !following.ended(size: picture.count, inFile: structure.picturesInFile, length: part.length)
        else {
            picture.removeAll()
            actions.append(.dropped(.secondView))
            return
        }
        lastSize = picture.count
        let bytes = picture.take()
        actions.append(
            .picture(
                JPEGPicture(
                    bytes: bytes, width: structure.width, height: structure.height, isDamaged: isDamaged,
                    hasHuffmanTables: structure.hasHuffmanTables, timestamp: part.timestamp)))
    }

    /// The next picture began inside this one's data: this one has ended there.
    private mutating func endAtNextPicture(into actions: inout [Action]) {
        if !isDiscarding {
            picture.truncate(to: picture.count - 3)
            if structure.scanOffset != nil {
                handOn(isDamaged: true, into: &actions)
            } else {
                actions.append(.dropped(.truncated))
            }
        }
        forgetPart()
        beginPicture()
    }

    /// The line feed before a delimiter in the entropy coded data, at `before` or, begun, just in front of it.
    ///
    /// Only a picture that lost its end has one. While a length that can be trusted has not been reached, none is
    /// looked for.
    private func delimiter(from before: Int) -> Int? {
        guard let needle = boundary.needle, let scan = structure.scanOffset else { return nil }
        if trustsLength, let length = part.length, structure.count <= length { return nil }
        let start = max(scan, before - needle.count)
        return unsafe picture.withBytes { bytes in
            var position = start
            while let found = unsafe bytes.firstPosition(of: needle, from: position) {
                let next = found + needle.count
                // Beyond the limit the picture counts as too large, however its bytes were split.
                guard next < bytes.count, next < limits.bytes else { return nil }
                switch unsafe bytes[next] {
                case 0x0D, 0x0A, UInt8(ascii: "-"), UInt8(ascii: "C"), UInt8(ascii: "c"): return found
                default: position = found + 1
                }
            }
            return nil
        }
    }

    /// Ends the picture before the line end at `position`.
    private mutating func cut(at position: Int, into actions: inout [Action]) {
        let scan = structure.scanOffset ?? 0
        let hasReturn = unsafe picture.withBytes { unsafe position > scan && $0[position - 1] == 0x0D }
        let length = hasReturn ? position - 1 : position
        if part.length != nil { trustsLength = part.length == length }
        picture.truncate(to: length)
        complete(isDamaged: true, into: &actions)
    }

    /// The structure broke: goes back to the first delimiter inside what was taken for the picture, else waits for one.
    ///
    /// Going back is bounded, so that no bytes cost more than a few times their number.
    private mutating func resync(into actions: inout [Action]) {
        mode = .text
        if !isDiscarding { actions.append(.dropped(.notJPEG)) }
        forgetPart()
        isResyncing = boundary.isSeen
        resyncedBytes = 0
        retries += 1
        let held = picture.take()
        guard boundary.isSeen, retries <= 8, let needle = boundary.needle else { return }
        unsafe held.withBytes { bytes in
            if let delimiter = unsafe bytes.firstPosition(of: needle, from: 2) {
                unsafe receive(UnsafeRawBufferPointer(rebasing: bytes[(delimiter + 1)...]), into: &actions)
            } else {
                let tail = unsafe bytes.suffix(min(needle.count, max(0, bytes.count - 3)))
                unsafe takeText(Array(tail), into: &actions)
            }
        }
    }
}
