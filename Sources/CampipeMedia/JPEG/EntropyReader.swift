/// Reads the Huffman-coded data of one interval, byte-stuffing taken out, for who wants the first coefficients alone.
///
/// The loops of `LumaEighth` and `ThreeEighths`. Bits are taken from the top of a word that is filled up to at least 56 of them, eight
/// bytes at a time; so there must be readable bytes behind the data, `slack` of them for each block that is read
/// without looking at the end.
@unsafe struct EntropyReader {
    /// The most bytes that one block takes, and one filling: 64 symbols of 16 bits with 15 bits of value, and eight.
    static let slack = 64 * 4 + 8

    private var next: UnsafeRawPointer
    private var bits: UInt64 = 0
    private var count: UInt64 = 0

    init(_ start: UnsafeRawPointer) { unsafe next = start }

    /// How many bits were taken since `start`.
    func taken(since start: UnsafeRawPointer) -> Int { unsafe (next - start) * 8 - Int(count) }

    /// A table's memory for the time of a picture.
    @unsafe struct Codes {
        var single: UnsafePointer<UInt16>
        var several: UnsafePointer<UInt16>
        var valued: UnsafePointer<Int16>
        /// Four: of 13 to 16 bits.
        var long: UnsafePointer<HuffmanTable.LongCodes>
        var symbols: UnsafePointer<UInt8>
    }

    @inline(__always) private mutating func fill() {
        unsafe bits |= UInt64(bigEndian: next.loadUnaligned(as: UInt64.self)) &>> count
        unsafe next += Int((63 &- count) &>> 3)
        unsafe count |= 56
    }

    @inline(__always) private mutating func drop(_ number: Int) {
        unsafe bits &<<= UInt64(truncatingIfNeeded: number)
        unsafe count &-= UInt64(truncatingIfNeeded: number)
    }

    /// A difference of DC, of a table whose symbols are 11 at most; nil where no code stands.
    @inline(__always) mutating func difference(_ codes: borrowing Codes) -> Int32? {
        unsafe fill()
        var entry = Int(unsafe codes.single[Int(truncatingIfNeeded: bits &>> 52)])
        if entry == 0 {
            entry = unsafe longSymbol(codes)
            if entry == 0 { return nil }
        } else {
            unsafe drop(entry & 15)
        }
        let size = entry &>> 4
        guard size > 0 else { return 0 }
        return unsafe value(size)
    }

    /// Takes a value of so many bits, one at least.
    @inline(__always) private mutating func value(_ size: Int) -> Int32 {
        let value = unsafe Int32(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- size))
        unsafe drop(size)
        // A value whose first bit is 0 is negative (F.2.2.1, EXTEND).
        return value &>> Int32(truncatingIfNeeded: size &- 1) == 0
            ? value &- (1 &<< Int32(truncatingIfNeeded: size)) &+ 1 : value
    }

    /// Reads a block's AC coefficients up to `last`, and steps over the others.
    ///
    /// - Parameters:
    ///   - last: The last place in the zigzag that is wanted.
    ///   - places: Where a coefficient goes in `block`, by its place in the zigzag; as far as sixteen behind `last`.
    ///   - block: Zeros before; only what is not zero is written.
    /// - Returns: false where no code stands, or a run goes past the block's end.
    @inline(__always) mutating func coefficients(
        _ codes: borrowing Codes, to last: Int, _ places: UnsafePointer<UInt8>, into block: UnsafeMutablePointer<Int16>
    ) -> Bool {
        var place = 1
        while place <= last {
            unsafe fill()
            let entry = Int(unsafe codes.valued[Int(truncatingIfNeeded: bits &>> 52)])
            if entry != 0 {
                unsafe drop(entry & 15)
                let value = entry &>> 8
                if value == 0 { return true }
                place &+= entry &>> 4 & 15
                unsafe block[Int(places[place])] = Int16(truncatingIfNeeded: value)
                place &+= 1
                continue
            }
            var symbol = Int(unsafe codes.single[Int(truncatingIfNeeded: bits &>> 52)])
            if symbol == 0 {
                symbol = unsafe longSymbol(codes)
                if symbol == 0 { return false }
            } else {
                unsafe drop(symbol & 15)
            }
            let (run, size) = (symbol &>> 8, symbol &>> 4 & 15)
            place &+= run
            if size > 0 {
                unsafe block[Int(places[place])] = unsafe Int16(truncatingIfNeeded: value(size))
            } else if run < 15 {
                return true
            }
            place &+= 1
        }
        return unsafe skipCoefficients(codes, from: place)
    }

    /// Steps over the AC coefficients of a block.
    ///
    /// - Parameter first: The place in the zigzag of the next one, 64 at most.
    /// - Returns: false where no code stands, or a run goes past the block's end.
    @inline(__always) mutating func skipCoefficients(_ codes: borrowing Codes, from first: Int = 1) -> Bool {
        var place = first
        while true {
            unsafe fill()
            let entry = Int(unsafe codes.several[Int(truncatingIfNeeded: bits &>> 52)])
            let reached = place &+ entry &>> 5
            if reached <= 64 {
                unsafe drop(entry & 15)
                if reached == 64 || entry & 16 != 0 { return true }
                place = reached
                continue
            }
            // One at a time: a code that is long, or the end of the block among them.
            var symbol = Int(unsafe codes.single[Int(truncatingIfNeeded: bits &>> 52)])
            if symbol == 0 {
                symbol = unsafe longSymbol(codes)
                if symbol == 0 { return false }
            } else {
                unsafe drop(symbol & 15)
            }
            let (run, size) = (symbol &>> 8, symbol &>> 4 & 15)
            unsafe drop(size)
            if size == 0, run < 15 { return true }
            place &+= run &+ 1
            if place >= 64 { return place == 64 }
        }
    }

    /// Takes a code of more than twelve bits: symbol << 4 | 1; 0 where there is none.
    private mutating func longSymbol(_ codes: borrowing Codes) -> Int {
        for index in 0..<16 - HuffmanTable.width {
            let length = HuffmanTable.width + 1 + index
            let codesOfLength = unsafe codes.long[index]
            let offset =
                unsafe Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- length)) - codesOfLength.first
            guard offset >= 0, offset < codesOfLength.count else { continue }
            unsafe drop(length)
            return Int(unsafe codes.symbols[codesOfLength.symbol + offset]) << 4 | 1
        }
        return 0
    }
}
