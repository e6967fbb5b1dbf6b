/// Reads the bits of a parameter set (ITU-T H.264 7.2): fixed counts and Exp-Golomb codes. A value; past the end it
/// gives zeros and says so.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var isOverrun = false

    /// - Parameter unit: A NAL unit; the bytes that keep start codes out of it (`00 00 03`) are taken out first.
    init(unit: ArraySlice<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(unit.count)
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    mutating func bit() -> Bool { bits(1) == 1 }

    /// - Parameter count: 32 at most.
    mutating func bits(_ count: Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            value <<= 1
            if position < bytes.count * 8 {
                value |= UInt32(bytes[position >> 3] >> (7 - UInt8(position & 7)) & 1)
            } else {
                isOverrun = true
            }
            position += 1
        }
        return value
    }

    mutating func skip(_ count: Int) {
        position += count
        if position > bytes.count * 8 { isOverrun = true }
    }

    /// An unsigned Exp-Golomb code (ITU-T H.264 9.1); a broken one ends the reading.
    mutating func code() -> UInt32 {
        var zeros = 0
        while !bit() {
            zeros += 1
            guard zeros <= 31, !isOverrun else {
                isOverrun = true
                return 0
            }
        }
        return (1 << UInt32(zeros)) - 1 + bits(zeros)
    }

    /// A signed one.
    mutating func signedCode() -> Int {
        let value = Int(code())
        return value & 1 == 1 ? (value + 1) / 2 : -value / 2
    }
}
