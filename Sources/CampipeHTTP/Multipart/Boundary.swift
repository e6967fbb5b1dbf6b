/// What is known of a stream's delimiter: a hint from the header, and then how the body really spells it.
///
/// Cameras put the dashes into the header's value, leave them out of the body, or double them, so only the name inside
/// the dashes is compared.
struct Boundary: Sendable {
    private var name: [UInt8] = []
    /// The delimiter with the line feed before it, as searched for inside a picture; nil when there is no clue.
    private(set) var needle: [UInt8]?
    /// Whether the body has shown one.
    private(set) var isSeen = false

    init(parameter: String?) {
        guard let parameter, !parameter.isEmpty, parameter.utf8.count <= 256 else { return }
        let bytes = Array(parameter.utf8)
        name = Array(bytes.drop { $0 == UInt8(ascii: "-") })
        if name.isEmpty { name = bytes }
        let dashes: [UInt8] = bytes.starts(with: Array("--".utf8)) ? [] : Array("--".utf8)
        needle = [10] + dashes + bytes
    }

    /// What follows the delimiter when `line` begins with it; else nil.
    mutating func rest(of line: [UInt8]) -> ArraySlice<UInt8>? {
        let dashes = line.prefix { $0 == UInt8(ascii: "-") }.count
        if name.isEmpty { return learn(line, dashes: dashes) }
        let isAllDashes = name[0] == UInt8(ascii: "-")
        let start = isAllDashes ? 0 : dashes
        guard line.count >= start + name.count, line[start..<start + name.count].elementsEqual(name) else { return nil }
        let rest = line[(start + name.count)...]
        // Without dashes it must stand alone: a header may begin with the same letters.
        if dashes == 0, !rest.isEmpty, !rest.elementsEqual("--".utf8) { return nil }
        if !isSeen { note(line[..<(start + name.count)]) }
        return rest
    }

    /// Without a name from the header, a first line of dashes and a word is taken for the delimiter.
    private mutating func learn(_ line: [UInt8], dashes: Int) -> ArraySlice<UInt8>? {
        guard dashes >= 2, line.count > dashes, line.count <= 72, line.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        name = Array(line[dashes...])
        note(line[...])
        return []
    }

    private mutating func note(_ delimiter: ArraySlice<UInt8>) {
        isSeen = true
        needle = [10] + delimiter
    }
}
