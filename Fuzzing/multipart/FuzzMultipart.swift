// fuzz-modules: CPluginABI CNet CampipeKit CampipeHTTP
// fuzz-libraries: libcurl openssl libsodium
//
// Fuzzes the way from a camera's bytes to pictures: the multipart parser over the JPEG structure.
//
// The first byte chooses the boundary, the second the split; the rest is the body. Found to be wrong: a trap, answers
// that depend on the split, a picture that no JPEG structure confirms, or one beyond the limit.
@testable import CampipeHTTP
import CampipeKit

private let boundaries: [String?] = [nil, "cam", "--cam", "cam--", "c", "===1===", "--", "data-boundary--"]
private let limits = JPEGStructure.Limits(bytes: 4096, pixels: 1 << 20)

private func parse(_ body: UnsafeRawBufferPointer, boundary: String?, chunk: Int) -> [String] {
    var parser = MultipartParser(boundary: boundary, limits: limits)
    var actions: [MultipartParser.Action] = []
    var position = 0
    while position < body.count {
        let end = min(position + chunk, body.count)
        parser.receive(UnsafeRawBufferPointer(rebasing: body[position..<end]), into: &actions)
        position = end
    }
    parser.finish(isComplete: false, into: &actions)
    return actions.map { action in
        switch action {
        case .dropped(let reason): return reason.name
        case .picture(let picture):
            precondition(picture.bytes.count <= limits.bytes, "a picture beyond the limit: \(picture.bytes.count)")
            precondition(picture.width > 0 && picture.height > 0, "a picture without a size")
            var structure = JPEGStructure(limits: limits)
            let step = picture.bytes.withBytes { structure.follow($0) }
            if picture.isDamaged {
                precondition(
                    step == .more && structure.scanOffset != nil,
                    "a damaged picture without data: \(step), \(picture.bytes.array)")
            } else {
                precondition(
                    step == .ended(consumed: picture.bytes.count), "a whole picture that is not whole: \(step)")
            }
            return "\(picture.isDamaged) \(picture.bytes.hashValue)"
        }
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = UnsafeRawBufferPointer(start: start, count: count)
    guard count > 2 else { return 0 }
    let boundary = boundaries[Int(data[0]) % boundaries.count]
    let body = UnsafeRawBufferPointer(rebasing: data[2...])
    let whole = parse(body, boundary: boundary, chunk: .max / 2)
    let split = parse(body, boundary: boundary, chunk: max(1, Int(data[1])))
    precondition(whole == split, "the split changes the answers: \(whole) and \(split)")
    return 0
}
