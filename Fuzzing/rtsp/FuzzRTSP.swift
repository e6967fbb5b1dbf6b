// fuzz-modules: CPluginABI CNet CampipeKit CampipeHTTP
// fuzz-libraries: libcurl openssl libsodium
//
// Fuzzes what reads an RTSP server's bytes. The first byte chooses the split; the rest is what the server sends.
//
// Found to be wrong: a trap, units that depend on the split, or more bytes given than came in.
@testable import CampipeHTTP

private func parse(_ bytes: UnsafeRawBufferPointer, chunk: Int) -> [String] {
    var wire = RTSPWire()
    wire.channels = [0, 1, 2, 3]
    var found: [String] = []
    var given = 0
    var position = 0
    while position < bytes.count {
        let end = min(position + chunk, bytes.count)
        wire.receive(UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
        position = end
        while let unit = wire.next() {
            switch unit {
            case .data(let channel, let bytes):
                given += bytes.count
                found.append("\(channel) \(bytes)")
            case .response(let answer):
                given += answer.body.count
                _ = RTSPTransport(answer.headers["Transport"] ?? "")
                var keepalive = RTSPKeepalive()
                keepalive.learn(answer.headers)
                precondition(keepalive.interval > .zero, "no pause between requests")
                if var challenge = RTSPChallenge(answer.headers.all("WWW-Authenticate")) {
                    _ = challenge.answer("PLAY", "rtsp://x", username: "u", password: "p", random: "r")
                }
                found.append("\(answer.status) \(answer.headers.fields) \(answer.body)")
            case .request(let method, let number): found.append("\(method) \(number)")
            }
        }
    }
    precondition(given + wire.skipped <= bytes.count, "more came out than went in")
    return found
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRTSP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = UnsafeRawBufferPointer(start: start, count: count)
    guard count > 1 else { return 0 }
    let bytes = UnsafeRawBufferPointer(rebasing: data[1...])
    let whole = parse(bytes, chunk: .max / 2)
    let split = parse(bytes, chunk: max(1, Int(data[0])))
    precondition(whole == split, "the split changes the units: \(whole) and \(split)")
    return 0
}
