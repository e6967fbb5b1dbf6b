import CampipeKit

/// The parameter sets of a stream, kept from its description and from what it sends. A value.
///
/// Cameras leave them out of the description, or out of the stream, or send half of them in either; what came last for a
/// kind and a number counts.
struct ParameterSets: Sendable {
    enum Kind: Int, Hashable, Sendable { case video, sequence, picture }

    private struct Key: Hashable {
        var kind: Kind
        var number: UInt32
    }
    private let coding: VideoCoding
    private var sets: [Key: [UInt8]] = [:]
    /// What the newest sequence parameter set says.
    private(set) var sequence: SequenceParameters?

    init(_ coding: VideoCoding) { self.coding = coding }

    /// Keeps a set, its NAL head included.
    ///
    /// - Returns: Whether it says something new.
    mutating func keep(_ unit: ArraySlice<UInt8>) -> Bool {
        guard let head = unit.first, case .set(let kind) = coding.unit(head), unit.count > 3, unit.count < 4096,
            let number = number(of: unit, kind)
        else { return false }
        if kind == .sequence {
            let read = coding == .h264 ? SequenceParameters(h264: unit) : SequenceParameters(h265: unit)
            guard let read else { return false }
            sequence = read
        }
        let key = Key(kind: kind, number: number)
        let bytes = Array(unit)
        guard sets[key] != bytes else { return false }
        sets[key] = bytes
        return true
    }

    /// Whether a decoder can begin with them.
    var isComplete: Bool {
        let kinds = Set(sets.keys.map(\.kind))
        return kinds.contains(.sequence) && kinds.contains(.picture) && (coding == .h264 || kinds.contains(.video))
    }

    /// All of them with start codes, in the order in which they refer to one another.
    var bytes: [UInt8] {
        let keys = sets.keys.sorted { ($0.kind.rawValue, $0.number) < ($1.kind.rawValue, $1.number) }
        return keys.flatMap { NALUnits.startCode + (sets[$0] ?? []) }
    }

    /// The set's own number; of a broken one nil. More than there may be are not kept.
    private func number(of unit: ArraySlice<UInt8>, _ kind: Kind) -> UInt32? {
        var bits: BitReader
        var number: UInt32
        switch (coding, kind) {
        case (.h264, .sequence):
            bits = BitReader(unit: unit.dropFirst(4))
            number = bits.code()
        case (.h264, _):
            bits = BitReader(unit: unit.dropFirst(1))
            number = bits.code()
        case (.h265, .video):
            bits = BitReader(unit: unit.dropFirst(2))
            number = bits.bits(4)
        case (.h265, .sequence):
            // Of one layer there is hardly ever more than one; its number stands far behind.
            return 0
        case (.h265, .picture):
            bits = BitReader(unit: unit.dropFirst(2))
            number = bits.code()
        }
        return bits.isOverrun || number > 255 ? nil : number
    }
}
