import CampipeKit

/// What one stream of H.264 or H.265 has told of itself: its parameter sets, and whether its pictures can be decoded. A
/// value without clock.
///
/// Nothing comes before the first keyframe, or what stands for one in a stream without them (`StartPoints`). Each keyframe is given the parameter sets that it does not bring itself, so
/// that whoever begins there, after a gap or a reconnect, can decode it.
struct VideoStream: Sendable {
    /// A picture as it is handed on.
    struct Unit: Sendable {
        var bytes: Bytes
        var isKey: Bool
        /// Whether nothing says that the pictures from here on are right.
        var isDoubtful = false
        var isDisposable: Bool
        /// Whether the stream may send pictures in another order than they are shown.
        var isReordered: Bool
    }
    enum Answer: Sendable {
        case unit(Unit)
        case refused(DropReason)
    }

    private let coding: VideoCoding
    private var sets: ParameterSets
    private var times: DecodingTimes
    private var starts = StartPoints()
    private var hasBegun = false
    /// Pictures before a random access point that they could refer past are left out there.
    private var skipsLeading = false
    /// The sets as one run of bytes, made when they change.
    private var joined: Bytes?

    init(_ coding: VideoCoding, sets described: [[UInt8]], rate: Double?, clockRate: Int) {
        self.coding = coding
        sets = ParameterSets(coding)
        let interval = rate.map { 1 / $0 } ?? 1.0 / 30
        times = DecodingTimes(step: Int64(interval * Double(clockRate)))
        for unit in described { _ = sets.keep(unit[...]) }
        refresh()
    }

    /// The format with what the parameter sets say.
    func format(of base: PacketFormat) -> PacketFormat {
        guard base.parameterSets != joined || base.size != sets.sequence?.size else { return base }
        var format = base
        format.parameterSets = joined
        format.size = sets.sequence?.size
        return format
    }

    /// What was begun at where there are no keyframes.
    var weakestStart: StartPoints.Kind? { starts.weakest }

    mutating func decodingTime(_ ticks: Int64) -> Int64 { times.place(ticks) }

    private mutating func refresh() {
        joined = sets.isComplete ? Bytes(sets.bytes) : nil
        times.learn(sets.sequence?.reordering)
    }

    /// The parameter sets put in front, but behind a delimiter, which comes first (ITU-T H.264 7.4.1.2.3).
    private func withSets(_ bytes: [UInt8], _ units: [Range<Int>]) -> [UInt8] {
        guard let first = units.first, coding.isDelimiter(bytes[first.lowerBound]) else { return sets.bytes + bytes }
        return bytes[..<first.upperBound] + sets.bytes + bytes[first.upperBound...]
    }

    /// Looks at a picture that arrived then.
    mutating func take(_ bytes: [UInt8], isDamaged: Bool, at now: Instant = .zero) -> Answer {
        let units = NALUnits.find(in: bytes)
        let kind = AccessUnitKind(bytes, units: units, coding: coding)
        var brought: Set<ParameterSets.Kind> = []
        var isChanged = false
        for unit in units {
            guard case .set(let kind) = coding.unit(bytes[unit.lowerBound]) else { continue }
            brought.insert(kind)
            // What a hole cut off would be kept for good.
            if !(isDamaged && unit.upperBound == bytes.count) { isChanged = sets.keep(bytes[unit]) || isChanged }
        }
        if isChanged { refresh() }
        guard kind.hasPicture else { return .refused(.truncated) }
        let start = sets.isComplete && kind.hasBeginning || kind.isKey ? starts.look(kind, at: now) : nil
        let isKey = start != nil
        if !hasBegun {
            guard isKey, kind.hasBeginning, sets.isComplete else { return .refused(.brokenReference) }
            hasBegun = true
            skipsLeading = true
        } else if kind.isLeading, skipsLeading {
            return .refused(.brokenReference)
        } else if !kind.isLeading, !isKey {
            skipsLeading = false
        }
        // Only of the highest layer it is known that nothing needs it.
        let isDisposable = kind.isDisposable && !isKey && kind.layer >= sets.sequence?.topLayer ?? 0
        let lacks = isKey && !(brought.contains(.sequence) && brought.contains(.picture))
        let whole = lacks ? withSets(bytes, units) : bytes
        return .unit(
            Unit(
                bytes: Bytes(whole), isKey: isKey, isDoubtful: start == .any, isDisposable: isDisposable,
                isReordered: times.depth > 0 || sets.sequence?.reordering == nil))
    }
}
