/// A server's word on how packets travel: the field `Transport` (RFC 2326 section 12.39). A value.
///
/// Blanks anywhere are passed over: a camera writes `ssrc= 1234`.
package struct RTSPTransport: Hashable, Sendable {
    /// The channels of RTP and RTCP in the connection; nil when packets travel otherwise.
    package private(set) var channels: (rtp: UInt8, rtcp: UInt8)? {
        get { interleaved.map { (UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)) } }
        set { interleaved = newValue.map { UInt16($0.rtp) << 8 | UInt16($0.rtcp) } }
    }
    private var interleaved: UInt16?
    package private(set) var serverPorts: [UInt16] = []
    /// The address that packets come from, where it is another than the server's.
    package private(set) var source: String?

    package init(_ field: String) {
        // A list is a choice; the first is it.
        let first = Array(field.utf8).split(separator: UInt8(ascii: ",")).first ?? []
        for part in first.split(separator: UInt8(ascii: ";")) {
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1).map { trimmed($0) }
            guard sides.count == 2 else { continue }
            let numbers = sides[1].split(separator: UInt8(ascii: "-")).compactMap { decimal(trimmed($0)) }
            switch lowercased(sides[0]) {
            case "interleaved":
                guard let rtp = numbers.first.flatMap({ UInt8(exactly: $0) }) else { continue }
                channels = (rtp, numbers.dropFirst().first.flatMap { UInt8(exactly: $0) } ?? rtp &+ 1)
            case "server_port": serverPorts = numbers.compactMap { UInt16(exactly: $0) }
            case "source": source = String(decoding: sides[1], as: UTF8.self)
            default: break
            }
        }
    }
}
