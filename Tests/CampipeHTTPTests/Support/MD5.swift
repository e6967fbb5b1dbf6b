import Foundation

/// MD5 (RFC 1321), for the logins that cameras ask for.
func md5(_ message: [UInt8]) -> String {
    let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    let k = (0..<64).map { UInt32(abs(sin(Double($0 + 1))) * 4_294_967_296) }
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
    var data = message + [0x80]
    while data.count % 64 != 56 { data.append(0) }
    for shift in stride(from: 0, to: 64, by: 8) { data.append(UInt8(truncatingIfNeeded: (message.count * 8) >> shift)) }
    for block in stride(from: 0, to: data.count, by: 64) {
        let m = (0..<16).map { word in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(data[block + word * 4 + $1]) << UInt32($1 * 8) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for i in 0..<64 {
            var f: UInt32
            let g: Int
            switch i / 16 {
            case 0: (f, g) = ((b & c) | (~b & d), i)
            case 1: (f, g) = ((d & b) | (~d & c), (5 * i + 1) % 16)
            case 2: (f, g) = (b ^ c ^ d, (3 * i + 5) % 16)
            default: (f, g) = (c ^ (b | ~d), (7 * i) % 16)
            }
            f = f &+ a &+ k[i] &+ m[g]
            let shift = shifts[i / 16][i % 4]
            (a, d, c, b) = (d, c, b, b &+ (f << shift | f >> (32 - shift)))
        }
        state[0] = state[0] &+ a
        state[1] = state[1] &+ b
        state[2] = state[2] &+ c
        state[3] = state[3] &+ d
    }
    return state.map { word in
        (0..<4).map { byte in
            let digits = String(UInt8(truncatingIfNeeded: word >> UInt32(byte * 8)), radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }.joined()
}
