/// Writes boxes of the ISO base media file format (ISO/IEC 14496-12 section 4.2): a length, a name of four letters, what
/// is inside. A value; numbers are big-endian.
struct BoxWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends a box around what `inside` writes.
    mutating func box(_ name: String, _ inside: (inout BoxWriter) -> Void) {
        let start = bytes.count
        number32(0)
        bytes += Array(name.utf8)
        inside(&self)
        let length = UInt32(bytes.count - start)
        for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index))) }
    }

    /// Appends a box that begins with a version and flags (4.2.2).
    mutating func box(_ name: String, version: UInt8, flags: UInt32 = 0, _ inside: (inout BoxWriter) -> Void) {
        box(name) { box in
            box.number32(UInt32(version) << 24 | flags)
            inside(&box)
        }
    }

    mutating func raw(_ more: [UInt8]) { bytes += more }
    mutating func text(_ text: String) { bytes += Array(text.utf8) }
    mutating func zeros(_ count: Int) { for _ in 0..<count { bytes.append(0) } }

    mutating func number16(_ value: Int) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    mutating func number32(_ value: UInt32) {
        for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func number64(_ value: UInt64) {
        number32(UInt32(truncatingIfNeeded: value >> 32))
        number32(UInt32(truncatingIfNeeded: value))
    }
}
