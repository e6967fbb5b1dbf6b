/// A JPEG's Huffman table (ITU-T T.81 annex C), spread out so that twelve bits tell at once what they hold. A value.
struct HuffmanTable: Sendable {
    /// The bits that are looked at.
    static let width = 12

    /// Sixteen counts of codes by length, then the symbols, as in the DHT segment.
    let definition: [UInt8]

    /// By the next twelve bits, the symbol whose code they begin with: symbol << 4 | length; 0 where the code is
    /// longer, or there is none.
    private(set) var single = [UInt16](repeating: 0, count: 1 << width)
    /// By the next twelve bits, as many whole symbols of AC, each with its value's bits, as fit: places << 5 | (has the
    /// end of the block) << 4 | bits. `places` counts the coefficients that they stand for, and one more with the end of
    /// a block; 127 where not even one symbol fits.
    private(set) var several: [UInt16] = []
    /// By the next twelve bits, a whole symbol of AC with its value where both fit: value << 8 | run << 4 | bits, no value
    /// being the end of the block; 0 where they do not fit, and for sixteen zeros.
    private(set) var valued: [Int16] = []
    /// Of codes of each length beyond `width`: the first code, how many there are, and the first one's symbol.
    private(set) var long: [LongCodes] = []

    struct LongCodes {
        var first: Int
        var count: Int
        var symbol: Int
    }
    /// The largest symbol.
    let largest: UInt8

    /// - Parameters:
    ///   - definition: As above; nil comes back when it is no table: too many codes for their lengths.
    ///   - isAC: Whether it codes runs and sizes, not sizes alone.
    init?(_ definition: [UInt8], isAC: Bool) {
        guard definition.count >= 16 else { return nil }
        let total = definition[..<16].reduce(0) { $0 + Int($1) }
        guard total > 0, total <= 256, definition.count == 16 + total else { return nil }
        self.definition = definition
        largest = definition[16...].max() ?? 0
        var code = 0
        var symbol = 0
        for length in 1...16 {
            let count = Int(definition[length - 1])
            // All ones is no code.
            guard code + count < 1 << length || count == 0 else { return nil }
            if length > Self.width { long.append(LongCodes(first: code, count: count, symbol: symbol)) }
            for _ in 0..<count {
                if length <= Self.width {
                    let first = code << (Self.width - length)
                    let entry = UInt16(definition[16 + symbol]) << 4 | UInt16(length)
                    for index in first..<first + 1 << (Self.width - length) { single[index] = entry }
                }
                code += 1
                symbol += 1
            }
            code <<= 1
        }
        guard isAC else {
            // Nobody reads them; but they are memory that can be lent.
            (several, valued) = ([0], [0])
            return
        }
        several = (0..<1 << Self.width).map { severalSymbols(at: $0) }
        valued = (0..<1 << Self.width).map { valuedSymbol(at: $0) }
    }

    private func valuedSymbol(at bits: Int) -> Int16 {
        let entry = Int(single[bits])
        let (length, run, size) = (entry & 15, entry >> 8, entry >> 4 & 15)
        guard length > 0, size <= 7, length + size <= Self.width else { return 0 }
        if size == 0 { return run < 15 ? Int16(length) : 0 }
        let value = bits >> (Self.width - length - size) & (1 << size - 1)
        // A value whose first bit is 0 is negative (F.2.2.1, EXTEND).
        let signed = value >> (size - 1) == 0 ? value - 1 << size + 1 : value
        return Int16(signed << 8 | run << 4 | (length + size))
    }

    /// Goes through twelve bits symbol by symbol.
    private func severalSymbols(at bits: Int) -> UInt16 {
        var used = 0
        var places = 0
        while places < 64 {
            // What follows the twelve bits is not known: zeros stand for it, and a symbol that needs them is left out.
            let entry = Int(single[bits << used & (1 << Self.width - 1)])
            let (length, run, size) = (entry & 15, entry >> 8, entry >> 4 & 15)
            guard length > 0, used + length + size <= Self.width else { break }
            used += length + size
            if size == 0, run < 15 { return UInt16(places + 1) << 5 | 16 | UInt16(used) }
            places += run + 1
        }
        return used == 0 ? 127 << 5 : UInt16(places) << 5 | UInt16(used)
    }
}
