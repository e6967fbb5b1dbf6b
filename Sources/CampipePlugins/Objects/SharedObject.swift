/// A shared object as its file says it is (ELF, System V gABI chapters 4 and 5): a value, nothing of it is run.
///
/// 64-bit, little-endian: what Swift on Linux makes. Whatever the bytes are, reading ends, within the file.
struct SharedObject {
    /// Why bytes are no shared object.
    struct Malformed: Error {}

    /// The machine it is for (`e_machine`): 62 x86-64, 183 AArch64.
    let machine: UInt16
    /// The libraries that it asks for, by their names.
    private(set) var needed: [String] = []
    /// What it defines for others: where the bytes are, and how many.
    private(set) var defined: [String: Range<Int>] = [:]

    private let bytes: [UInt8]

    private struct Section {
        var type: UInt32
        var link: Int
        var range: Range<Int>
    }

    private static let dynamicSymbols: UInt32 = 11
    private static let dynamicSection: UInt32 = 6
    private static let sharedObject: UInt16 = 3
    private static let loaded: UInt32 = 1
    private static let neededTag: UInt64 = 1

    init(_ bytes: [UInt8]) throws(Malformed) {
        self.bytes = bytes
        guard bytes.count >= 64, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { throw Malformed() }
        machine = UInt16(truncatingIfNeeded: Self.number(bytes, at: 18, 2) ?? 0)
        guard Self.number(bytes, at: 16, 2) == UInt64(Self.sharedObject) else { throw Malformed() }
        let sections = try self.sections()
        for section in sections {
            guard sections.indices.contains(section.link) else { continue }
            let names = sections[section.link].range
            if section.type == Self.dynamicSymbols { readSymbols(section.range, names: names) }
            if section.type == Self.dynamicSection { readNeeded(section.range, names: names) }
        }
    }

    /// The bytes of what it defines under a name.
    subscript(symbol: String) -> ArraySlice<UInt8>? { defined[symbol].map { bytes[$0] } }

    private static func number(_ bytes: [UInt8], at offset: Int, _ size: Int) -> UInt64? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        var value: UInt64 = 0
        for index in 0..<size { value |= UInt64(bytes[offset + index]) << (8 * UInt64(index)) }
        return value
    }

    private func number(_ offset: Int, _ size: Int = 8) throws(Malformed) -> Int {
        guard let value = Self.number(bytes, at: offset, size), let number = Int(exactly: value) else {
            throw Malformed()
        }
        return number
    }

    private func range(_ offset: Int, _ count: Int) throws(Malformed) -> Range<Int> {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { throw Malformed() }
        return offset..<offset + count
    }

    private func sections() throws(Malformed) -> [Section] {
        let (table, size, count) = (try number(40), try number(58, 2), try number(60, 2))
        guard size >= 64, count > 0 else { throw Malformed() }
        _ = try range(table, size * count)
        var sections: [Section] = []
        for index in 0..<count {
            let place = table + index * size
            let type = UInt32(truncatingIfNeeded: try number(place + 4, 4))
            // What has no bytes in the file (`SHT_NOBITS`) may lie beyond its end.
            let isRead = type == Self.dynamicSymbols || type == Self.dynamicSection || type == 3
            sections.append(
                Section(
                    type: type, link: try number(place + 40, 4),
                    range: isRead ? try range(try number(place + 24), try number(place + 32)) : 0..<0))
        }
        return sections
    }

    /// Where the bytes of an address lie in the file, by the segments that are loaded.
    private func place(of address: Int, _ count: Int) -> Range<Int>? {
        guard let table = try? number(32), let size = try? number(54, 2), let segments = try? number(56, 2) else {
            return nil
        }
        for index in 0..<segments {
            let header = table + index * size
            guard Self.number(bytes, at: header, 4) == UInt64(Self.loaded), let offset = try? number(header + 8),
                let start = try? number(header + 16), let length = try? number(header + 32),
                address >= start, address - start <= length, count <= length - (address - start)
            else { continue }
            return try? range(offset + (address - start), count)
        }
        return nil
    }

    private mutating func readSymbols(_ range: Range<Int>, names: Range<Int>) {
        var place = range.lowerBound
        while place + 24 <= range.upperBound {
            defer { place += 24 }
            guard let section = try? number(place + 6, 2), section != 0, let name = try? number(place, 4),
                let address = try? number(place + 8), let size = try? number(place + 16)
            else { continue }
            let text = self.text(names.lowerBound + name, within: names)
            defined[text] = self.place(of: address, size) ?? 0..<0
        }
    }

    private mutating func readNeeded(_ range: Range<Int>, names: Range<Int>) {
        var place = range.lowerBound
        while place + 16 <= range.upperBound {
            if Self.number(bytes, at: place, 8) == Self.neededTag, let name = try? number(place + 8) {
                needed.append(text(names.lowerBound + min(name, names.count), within: names))
            }
            place += 16
        }
    }

    private func text(_ start: Int, within range: Range<Int>) -> String {
        guard start >= range.lowerBound, start < range.upperBound else { return "" }
        return String(decoding: bytes[start..<range.upperBound].prefix { $0 != 0 }, as: UTF8.self)
    }
}
