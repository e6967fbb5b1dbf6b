// fuzz-modules: CPluginABI CNet CampipeKit CampipeHTTP
// fuzz-libraries: libcurl openssl libsodium
//
// Fuzzes the HTTP request parser. The first byte chooses the split; the rest is what a client sends.
//
// Found to be wrong: a trap, answers that depend on the split, or more bytes held than the limits allow.
@testable import CampipeHTTP

private func parse(_ bytes: UnsafeRawBufferPointer, chunk: Int) -> [String] {
    var limits = HTTPRequestParser.Limits()
    limits.requestLine = 256
    limits.headerBytes = 1024
    limits.headerCount = 16
    limits.bodyBytes = 512
    var parser = HTTPRequestParser(limits: limits)
    var found: [String] = []
    var position = 0
    while position < bytes.count {
        let end = min(position + chunk, bytes.count)
        parser.receive(UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
        position = end
        read: while true {
            switch parser.next() {
            case .more: break read
            case .request(let request):
                precondition(request.path.hasPrefix("/") || request.path == "*", "a path of another form")
                precondition(request.headers.fields.count <= limits.headerCount, "too many headers")
                precondition(request.body.count <= limits.bodyBytes, "too large a body")
                found.append(
                    "\(request.method) \(request.path) \(request.query) \(request.headers.fields) \(request.body)")
            case .refused(let status, _):
                found.append("\(status)")
                return found
            }
        }
        precondition(parser.hasRoom || chunk > 1024, "more is held than the limits allow")
    }
    return found
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = UnsafeRawBufferPointer(start: start, count: count)
    guard count > 1 else { return 0 }
    let bytes = UnsafeRawBufferPointer(rebasing: data[1...])
    let whole = parse(bytes, chunk: .max / 2)
    let split = parse(bytes, chunk: max(1, Int(data[0])))
    precondition(whole == split, "the split changes the answers: \(whole) and \(split)")
    return 0
}
