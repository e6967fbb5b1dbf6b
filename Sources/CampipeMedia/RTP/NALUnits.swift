import CampipeKit

/// The NAL units of an access unit with start codes (ITU-T H.264 annex B), as places in its bytes.
enum NALUnits {
    /// Each unit without its start code, and without the zeros behind it; empty ones are left out.
    static func find(in bytes: [UInt8]) -> [Range<Int>] {
        var units: [Range<Int>] = []
        var begin: Int?
        var at = 0
        func close(_ end: Int) {
            guard let begin else { return }
            var end = end
            while end > begin, bytes[end - 1] == 0 { end -= 1 }
            if end > begin { units.append(begin..<end) }
        }
        while at + 2 < bytes.count {
            // By the third byte, most places are seen to be none.
            if bytes[at + 2] > 1 {
                at += 3
            } else if bytes[at] == 0, bytes[at + 1] == 0, bytes[at + 2] == 1 {
                close(at)
                begin = at + 3
                at += 3
            } else {
                at += 1
            }
        }
        close(bytes.count)
        return units
    }

    static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Whether it begins with a start code, so that it is no piece in the middle of a unit.
    static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.count > 3 && bytes[0] == 0 && bytes[1] == 0 && (bytes[2] == 1 || bytes[2] == 0 && bytes[3] == 1)
    }
}
