/// Reads the boxes of an MP4, for tests.
struct Boxes {
    struct Box {
        var name: String
        /// What is inside.
        var bytes: [UInt8]

        func number(_ at: Int, _ count: Int = 4) -> Int { bytes[at..<(at + count)].reduce(0) { $0 << 8 | Int($1) } }
        func inside(from start: Int = 0) -> [Box] { Boxes.read(Array(bytes[start...])) }
        /// The box at a path of names below it.
        func find(_ path: String...) -> Box? {
            var box: Box? = self
            for name in path { box = box?.inside().first { $0.name == name } }
            return box
        }
    }

    /// Boxes one after the other; what is left over at the end is a box without a name.
    static func read(_ bytes: [UInt8]) -> [Box] {
        var found: [Box] = []
        var at = 0
        while at + 8 <= bytes.count {
            let size = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8, at + size <= bytes.count else { break }
            found.append(
                Box(
                    name: String(decoding: bytes[(at + 4)..<(at + 8)], as: UTF8.self),
                    bytes: Array(bytes[(at + 8)..<(at + size)])))
            at += size
        }
        if at < bytes.count { found.append(Box(name: "", bytes: Array(bytes[at...]))) }
        return found
    }
}

/// What a fragment says of its picture.
struct FragmentFacts: Equatable {
    var sequence: Int
    var time: Int
    var duration: Int
    var size: Int
    var flags: UInt32
    var shownLater: Int
    var dataOffset: Int
    var moofSize: Int
    var data: [UInt8]

    /// - Returns: nil when these are not a moof and an mdat with one picture.
    init?(_ bytes: [UInt8]) {
        let boxes = Boxes.read(bytes)
        guard boxes.map(\.name) == ["moof", "mdat"], let header = boxes[0].find("mfhd"),
            let tfhd = boxes[0].find("traf", "tfhd"), let tfdt = boxes[0].find("traf", "tfdt"),
            let trun = boxes[0].find("traf", "trun"), tfhd.number(0) == 0x02_0000, tfhd.number(4) == 1,
            trun.number(0) == 0x0100_0F01, trun.number(4) == 1
        else { return nil }
        sequence = header.number(4)
        time = tfdt.number(4, 8)
        dataOffset = trun.number(8)
        duration = trun.number(12)
        size = trun.number(16)
        flags = UInt32(trun.number(20))
        shownLater = trun.number(24)
        moofSize = boxes[0].bytes.count + 8
        data = boxes[1].bytes
    }
}
