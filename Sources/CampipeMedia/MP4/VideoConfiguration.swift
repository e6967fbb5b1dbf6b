package import CampipeKit

/// What a player must know of a stream of H.264 or H.265 before its first picture: the decoder's configuration record
/// (avcC, hvcC; ISO/IEC 14496-15 sections 5.3.3 and 8.3.3), the size, and the name of the codec. A value.
package struct VideoConfiguration: Hashable, Sendable {
    package let coding: Coding
    package let size: Size
    /// Of pixels that are not square.
    let aspect: SampleAspect?
    /// As in `codecs="..."` of a media type (RFC 6381 section 3.3; ISO/IEC 14496-15 annex E): `avc1.640028`,
    /// `hvc1.1.6.L93.B0`.
    package let codecs: String
    /// avcC or hvcC, without the box around it.
    let record: [UInt8]
    /// Whether packets have start codes, and not lengths, in front of their units.
    let hasStartCodes: Bool

    /// - Returns: nil of other codings, and while the parameter sets are not known or cannot be read.
    package init?(_ format: PacketFormat) {
        guard let coding = format.coding, coding == .h264 || coding == .h265, let given = format.parameterSets,
            given.count > 6
        else { return nil }
        self.coding = coding
        aspect = format.sampleAspect
        let bytes = given.array
        // A record begins with its version, which is 1; a start code with zeros.
        hasStartCodes = bytes[0] == 0
        if hasStartCodes {
            let units = NALUnits.find(in: bytes).map { Array(bytes[$0]) }
            guard let made = coding == .h264 ? Self.avcC(units) : Self.hvcC(units) else { return nil }
            (record, size) = made
        } else {
            guard let size = format.size else { return nil }
            record = bytes
            self.size = size
        }
        let codecs = coding == .h264 ? Self.avcName(record) : Self.hevcName(record)
        guard let codecs else { return nil }
        self.codecs = codecs
    }

    private static func avcC(_ units: [[UInt8]]) -> ([UInt8], Size)? {
        let sequences = units.filter { $0[0] & 31 == 7 }
        let pictures = units.filter { $0[0] & 31 == 8 }
        guard let first = sequences.last, !pictures.isEmpty, sequences.count < 32, pictures.count < 256,
            let parameters = SequenceParameters(h264: first[...])
        else { return nil }
        var writer = BoxWriter()
        writer.raw([1, first[1], first[2], first[3], 0xFF, 0xE0 | UInt8(sequences.count)])
        for unit in sequences { writer.unit(unit) }
        writer.raw([UInt8(pictures.count)])
        for unit in pictures { writer.unit(unit) }
        if parameters.saysChroma {
            writer.raw([
                0xFC | UInt8(parameters.chroma & 3), 0xF8 | UInt8((parameters.lumaDepth - 8) & 7),
                0xF8 | UInt8((parameters.chromaDepth - 8) & 7), 0,
            ])
        }
        return (writer.bytes, parameters.size)
    }

    private static func hvcC(_ units: [[UInt8]]) -> ([UInt8], Size)? {
        let kinds: [UInt8] = [32, 33, 34]
        let sets = kinds.map { kind in units.filter { $0[0] >> 1 & 63 == kind && $0.count > 2 } }
        guard sets.allSatisfy({ !$0.isEmpty }), let first = sets[1].last,
            let parameters = SequenceParameters(h265: first[...])
        else { return nil }
        var bits = BitReader(unit: first[2...])
        bits.skip(4)
        let layers = UInt8(bits.bits(3)) + 1
        let isNested = UInt8(bits.bits(1))
        let profile = (0..<12).map { _ in UInt8(bits.bits(8)) }
        guard !bits.isOverrun else { return nil }
        var writer = BoxWriter()
        writer.raw([1] + profile)
        writer.raw([
            0xF0, 0, 0xFC, 0xFC | UInt8(parameters.chroma & 3), 0xF8 | UInt8((parameters.lumaDepth - 8) & 7),
            0xF8 | UInt8((parameters.chromaDepth - 8) & 7), 0, 0, layers << 3 & 0x38 | isNested << 2 | 3, 3,
        ])
        for (kind, units) in zip(kinds, sets) {
            // All there are stand here, as `hvc1` says.
            writer.raw([0x80 | kind])
            writer.number16(units.count)
            for unit in units { writer.unit(unit) }
        }
        return (writer.bytes, parameters.size)
    }

    private static func avcName(_ record: [UInt8]) -> String? {
        guard record.count > 6, record[0] == 1 else { return nil }
        return "avc1." + record[1...3].map { hex($0, digits: 2) }.joined()
    }

    private static func hevcName(_ record: [UInt8]) -> String? {
        guard record.count > 22, record[0] == 1 else { return nil }
        let space = ["", "A", "B", "C"][Int(record[1] >> 6)]
        var compatible: UInt32 = 0
        for (index, byte) in record[2...5].enumerated() {
            for bit in 0..<8 where byte >> (7 - UInt8(bit)) & 1 == 1 { compatible |= 1 << UInt32(index * 8 + bit) }
        }
        var constraints = Array(record[6...11])
        while constraints.last == 0 { constraints.removeLast() }
        let tier = record[1] >> 5 & 1 == 1 ? "H" : "L"
        let parts =
            [
                "hvc1", "\(space)\(record[1] & 31)", String(compatible, radix: 16, uppercase: true),
                "\(tier)\(record[12])",
            ]
            + constraints.map { hex($0, digits: 1) }
        return parts.joined(separator: ".")
    }

    private static func hex(_ byte: UInt8, digits: Int) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension BoxWriter {
    fileprivate mutating func unit(_ unit: [UInt8]) {
        number16(unit.count)
        raw(unit)
    }
}
