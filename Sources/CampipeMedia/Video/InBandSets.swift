package import CampipeKit

/// The parameter sets of a file's H.264 or H.265 that stand within the stream, as transport streams have them: they may
/// change on the way, and the first ones may be damaged. A value.
package struct InBandSets: Sendable {
    private let coding: VideoCoding
    private var sets: ParameterSets
    /// The stream's format as its newest parameter sets say it.
    package private(set) var format: PacketFormat

    /// - Returns: nil of other codings, and where the sets stand apart from the stream (avcC and hvcC, which begin with
    ///   1), as in MP4 and Matroska.
    package init?(_ format: PacketFormat) {
        switch format.coding {
        case .h264: coding = .h264
        case .h265: coding = .h265
        default: return nil
        }
        let described = format.parameterSets?.array ?? []
        guard described.first != 1 else { return nil }
        self.format = format
        sets = ParameterSets(coding)
        for unit in NALUnits.find(in: described) { _ = sets.keep(described[unit]) }
    }

    /// Whether a decoder, or a container's head, can begin with them.
    package var isComplete: Bool { sets.isComplete }

    /// Learns what a keyframe brings.
    package mutating func learn(_ bytes: Bytes) {
        let bytes = bytes.array
        var isChanged = false
        for unit in NALUnits.find(in: bytes) { isChanged = sets.keep(bytes[unit]) || isChanged }
        guard isChanged, sets.isComplete else { return }
        format.parameterSets = Bytes(sets.bytes)
        format.size = sets.sequence?.size ?? format.size
    }
}
