package import CampipeKit

/// How long recordings are kept. What is nil does not limit.
package struct RetentionPolicy: Hashable, Sendable {
    /// What was last written longer ago is deleted.
    package var maxAge: Duration?
    /// In the place of `maxAge` for a recording with an event; and where there is one, these go last.
    package var withEvent: Duration?
    /// All of a sink's files together take at most this.
    package var maxTotal: ByteCount?
    /// So much of the volume stays free.
    package var minFree: FreeSpace?

    /// What holds where nobody says anything: a tenth of the disk stays free.
    package static let standard = RetentionPolicy(minFree: .share(Percent(fraction: 0.1)))

    package init(
        maxAge: Duration? = nil, withEvent: Duration? = nil, maxTotal: ByteCount? = nil, minFree: FreeSpace? = nil
    ) {
        self.maxAge = maxAge
        self.withEvent = withEvent
        self.maxTotal = maxTotal
        self.minFree = minFree
    }

    /// Whether it ever lets anything go.
    package var limitsAnything: Bool { maxAge != nil || maxTotal != nil || minFree != nil }

    /// How old a recording may become; nil is as old as you like.
    func greatestAge(hasEvent: Bool) -> Duration? {
        guard let maxAge else { return nil }
        return hasEvent ? max(maxAge, withEvent ?? maxAge) : maxAge
    }
}

/// Space to leave free: a share of the volume or a size.
package enum FreeSpace: Hashable, Sendable {
    case share(Percent)
    case size(ByteCount)

    /// In bytes, of a volume of this capacity.
    package func bytes(ofCapacity capacity: Int) -> Int {
        switch self {
        case .share(let share): Int(share.fraction * Double(capacity))
        case .size(let size): size.bytes
        }
    }
}

extension FreeSpace: OptionValue {
    package static var optionType: OptionType { .either([.percent, .byteCount]) }
    package static var optionPlaceholder: FreeSpace { .share(Percent(fraction: 0)) }

    package static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> FreeSpace? {
        let space: FreeSpace?
        if case .scalar(let scalar) = value, scalar.text.hasSuffix("%") {
            space = Percent.read(value, at: path, into: &faults).map(FreeSpace.share)
        } else {
            var own: [Fault] = []
            space = ByteCount.read(value, at: path, into: &own).map(FreeSpace.size)
            // A share is as good as a size.
            faults += own.map { fault in
                guard case .scalar(let scalar) = value, scalar.text.utf8.contains(where: { (48...57).contains($0) })
                else {
                    return Fault(
                        fault.code, at: path,
                        "\(value.kindText) is neither a share such as 10% nor a size such as 5GiB",
                        suggestions: [], accepted: accepted)
                }
                guard fault.code == .missingUnit, !scalar.isSecret else { return fault }
                return Fault(
                    .missingUnit, at: path, fault.sentence,
                    suggestions: ["\(scalar.text)%", "\(scalar.text)GiB"], accepted: accepted)
            }
        }
        guard let space, !space.isSensible else { return space }
        faults.append(
            Fault(.outOfRange, at: path, "\(value.kindText) is out of range", suggestions: [], accepted: accepted))
        return nil
    }

    private static let accepted = "accepted: 0.1%…99%, or a size from 1KiB; for none leave the key out"

    /// Whether it is neither nothing nor all of a disk, which would leave no recording.
    private var isSensible: Bool {
        switch self {
        case .share(let share): (0.001...0.99).contains(share.fraction)
        case .size(let size): size >= .kibibytes(1)
        }
    }

    package var optionText: String? {
        switch self {
        case .share(let share): share.optionText
        case .size(let size): size.optionText
        }
    }
}
