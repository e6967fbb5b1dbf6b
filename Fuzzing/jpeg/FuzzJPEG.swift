// fuzz-modules: CPluginABI CNet CampipeKit CampipeHTTP
// fuzz-libraries: libcurl openssl libsodium
//
// Fuzzes the structure of a JPEG, which decides where a picture ends. The first byte of the input chooses the split.
//
// Found to be wrong: a trap, an answer that depends on the split, more bytes consumed than there are, a whole picture
// that does not end with an end of image or has no size or no data, a state that goes on behind its end.
@testable import CampipeHTTP
import CampipeKit

private struct Followed: Equatable {
    var end = "more"
    var consumed = 0
    var width = 0
    var height = 0
    var scan: Int?
    var hasTables = false
    var isTooLarge = false
}

private let limits = JPEGStructure.Limits(bytes: 8192, pixels: 1 << 20)

private func follow(_ bytes: UnsafeRawBufferPointer, chunk: Int) -> Followed {
    var structure = JPEGStructure(limits: limits)
    var followed = Followed()
    var position = 0
    while position < bytes.count, followed.end == "more" {
        let end = min(bytes.count, position.addingReportingOverflow(chunk).partialValue)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[position..<max(end, position + 1)])
        let step = structure.follow(piece)
        let consumed: Int
        switch step {
        case .more:
            consumed = piece.count
        case .ended(let count):
            consumed = count
            followed.end = "ended"
        case .anotherBegan(let count):
            consumed = count
            followed.end = "another"
        case .broken(let count):
            consumed = count
            followed.end = "broken"
        }
        precondition(consumed > 0 && consumed <= piece.count, "consumed \(consumed) of \(piece.count)")
        position += consumed
        precondition(structure.count == position, "counted \(structure.count), followed \(position)")
    }
    followed.consumed = position
    followed.width = structure.width
    followed.height = structure.height
    followed.scan = structure.scanOffset
    followed.hasTables = structure.hasHuffmanTables
    followed.isTooLarge = structure.isTooLarge
    if followed.end == "ended" {
        precondition(bytes[position - 2] == 0xFF && bytes[position - 1] == 0xD9, "it ends with no end of image")
        precondition(structure.width > 0 && structure.height > 0, "a whole picture without a size")
        precondition(structure.scanOffset.map { $0 < position } == true, "a whole picture without data")
    }
    if followed.end == "another" {
        precondition(
            bytes[position - 3] == 0xFF && bytes[position - 2] == 0xD8 && bytes[position - 1] == 0xFF,
            "another picture began where none begins")
    }
    // What is over stays over.
    if followed.end != "more", position < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[position..<position + 1])
        if case .broken = structure.follow(rest) {} else { preconditionFailure("it goes on behind its end") }
    }
    return followed
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJPEG(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = UnsafeRawBufferPointer(start: start, count: count)
    guard count > 1 else { return 0 }
    // A picture as it stands is an input too: its first byte, FF, is both.
    let split = Int(data[0])
    let body = split == 0xFF ? data : UnsafeRawBufferPointer(rebasing: data[1...])
    let whole = follow(body, chunk: count)
    let pieces = follow(body, chunk: max(1, split % 61))
    precondition(whole == pieces, "the split changes the answer: \(whole) and \(pieces)")
    return 0
}
