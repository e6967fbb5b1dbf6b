/// What is needed to read the one scan of a plain JPEG, by its segments (ITU-T T.81 annex B); nil for all that is not
/// plain. A value.
struct JPEGScanHeader {
    struct Component {
        var id: UInt8
        /// Blocks a unit across and down.
        var across: Int
        var down: Int
        var quantizer = 0
        /// Where its 64 quantizers lie in the JPEG, in zigzag order.
        var quantizers = 0
        /// Numbers of its tables, 0…3.
        var dc = 0
        var ac = 0
    }

    private(set) var width = 0
    private(set) var height = 0
    /// Luma first.
    private(set) var components: [Component] = []
    /// Units (MCUs) a row, and rows of them.
    private(set) var unitsAcross = 0
    private(set) var unitsDown = 0
    /// Units between restart markers; 0 has none.
    private(set) var interval = 0
    /// Where definitions of Huffman tables lie: four of DC, then four of AC.
    private(set) var tables: [Range<Int>?] = Array(repeating: nil, count: 8)
    /// What DC of luma is multiplied by.
    private(set) var quantizer = 0
    /// Where the entropy-coded data begins.
    private(set) var data = 0

    /// Where tables of quantizers lie.
    private var quantizers: [Int?] = Array(repeating: nil, count: 4)

    init?(_ jpeg: UnsafeRawBufferPointer) {
        guard jpeg.count > 4, unsafe jpeg[0] == 0xFF, unsafe jpeg[1] == 0xD8 else { return nil }
        var at = 2
        while true {
            guard at + 4 <= jpeg.count, unsafe jpeg[at] == 0xFF else { return nil }
            let marker = unsafe jpeg[at + 1]
            let length = unsafe Int(jpeg[at + 2]) << 8 | Int(jpeg[at + 3])
            guard length >= 2, at + 2 + length <= jpeg.count else { return nil }
            let body = at + 4..<at + 2 + length
            let isGood: Bool
            switch marker {
            case 0xC0, 0xC1: isGood = unsafe takeFrame(jpeg, body)
            case 0xC4: isGood = unsafe takeHuffman(jpeg, body)
            case 0xDB: isGood = unsafe takeQuantizers(jpeg, body)
            case 0xDD:
                isGood = body.count == 2
                if isGood { interval = unsafe Int(jpeg[body.lowerBound]) << 8 | Int(jpeg[body.lowerBound + 1]) }
            case 0xDA:
                guard unsafe takeScan(jpeg, body) else { return nil }
                data = body.upperBound
                return
            // Of these two libjpeg warns when they say what it does not know.
            case 0xE0: isGood = unsafe Self.is(jpeg[body], "JFIF", with: 1...1, at: 5)
            case 0xEE: isGood = unsafe Self.is(jpeg[body], "Adobe", with: 0...1, at: 11)
            case 0xE1...0xED, 0xEF, 0xFE: isGood = true
            default: return nil
            }
            guard isGood else { return nil }
            at = body.upperBound
        }
    }

    /// Whether a segment that begins with this name has one of these bytes there, as far as it goes.
    private static func `is`(
        _ segment: Slice<UnsafeRawBufferPointer>, _ name: String, with known: ClosedRange<UInt8>, at place: Int
    ) -> Bool {
        guard unsafe segment.count > place, unsafe segment.starts(with: name.utf8) else { return true }
        return unsafe known.contains(segment[segment.startIndex + place])
    }

    private mutating func takeFrame(_ jpeg: UnsafeRawBufferPointer, _ body: Range<Int>) -> Bool {
        guard body.count >= 6, components.isEmpty else { return false }
        let start = body.lowerBound
        func word(_ at: Int) -> Int { unsafe Int(jpeg[at]) << 8 | Int(jpeg[at + 1]) }
        let count = unsafe Int(jpeg[start + 5])
        guard unsafe jpeg[start] == 8, count == 1 || count == 3, body.count == 6 + 3 * count else { return false }
        (height, width) = (word(start + 1), word(start + 3))
        guard width > 0, height > 0 else { return false }
        for index in 0..<count {
            let place = start + 6 + 3 * index
            let (across, down) = unsafe (Int(jpeg[place + 1] >> 4), Int(jpeg[place + 1] & 15))
            guard (1...4).contains(across), (1...4).contains(down), unsafe jpeg[place + 2] < 4 else { return false }
            components.append(
                unsafe Component(id: jpeg[place], across: across, down: down, quantizer: Int(jpeg[place + 2])))
        }
        // The blocks of one component alone come row by row, whatever its sampling says (A.2.2).
        if count == 1 { (components[0].across, components[0].down) = (1, 1) }
        // Luma has all the blocks that there are.
        let luma = components[0]
        guard components.allSatisfy({ $0.across <= luma.across && $0.down <= luma.down }) else { return false }
        guard components.reduce(0, { $0 + $1.across * $1.down }) <= 10 else { return false }
        unitsAcross = (width + 8 * luma.across - 1) / (8 * luma.across)
        unitsDown = (height + 8 * luma.down - 1) / (8 * luma.down)
        return true
    }

    private mutating func takeHuffman(_ jpeg: UnsafeRawBufferPointer, _ body: Range<Int>) -> Bool {
        var at = body.lowerBound
        while at < body.upperBound {
            guard at + 17 <= body.upperBound else { return false }
            let kind = unsafe jpeg[at]
            let total = unsafe jpeg[at + 1..<at + 17].reduce(0) { $0 + Int($1) }
            guard kind & 0xEF < 4, total <= 256, at + 17 + total <= body.upperBound else { return false }
            tables[Int(kind >> 4) * 4 + Int(kind & 3)] = at + 1..<at + 17 + total
            at += 17 + total
        }
        return true
    }

    private mutating func takeQuantizers(_ jpeg: UnsafeRawBufferPointer, _ body: Range<Int>) -> Bool {
        var at = body.lowerBound
        while at < body.upperBound {
            // Those of 16 bits are not plain.
            guard at + 65 <= body.upperBound, unsafe jpeg[at] < 4 else { return false }
            quantizers[unsafe Int(jpeg[at])] = at + 1
            at += 65
        }
        return true
    }

    /// One scan with all components, in the frame's order, whole.
    private mutating func takeScan(_ jpeg: UnsafeRawBufferPointer, _ body: Range<Int>) -> Bool {
        let count = components.count
        guard count > 0, body.count == 4 + 2 * count, unsafe Int(jpeg[body.lowerBound]) == count else { return false }
        for index in 0..<count {
            let place = body.lowerBound + 1 + 2 * index
            let selection = unsafe jpeg[place + 1]
            guard unsafe jpeg[place] == components[index].id, selection >> 4 < 4, selection & 15 < 4 else {
                return false
            }
            (components[index].dc, components[index].ac) = (Int(selection >> 4), Int(selection & 15))
            guard let own = quantizers[components[index].quantizer] else { return false }
            components[index].quantizers = own
        }
        let end = body.upperBound
        guard unsafe jpeg[end - 3] == 0, unsafe jpeg[end - 2] == 63, unsafe jpeg[end - 1] == 0 else {
            return false
        }
        quantizer = unsafe Int(jpeg[components[0].quantizers])
        return true
    }
}
