package import CampipeKit

/// How long recordings are kept. What is nil does not limit.
package struct RetentionPolicy: Hashable, Sendable {
    /// What was last written longer ago is deleted.
    package var maxAge: Duration?
    /// All of a sink's files together take at most this.
    package var maxTotal: ByteCount?
    /// So much of the volume stays free.
    package var minFree: FreeSpace?

    package init(maxAge: Duration? = nil, maxTotal: ByteCount? = nil, minFree: FreeSpace? = nil) {
        self.maxAge = maxAge
        self.maxTotal = maxTotal
        self.minFree = minFree
    }

    /// Whether it ever lets anything go.
    package var limitsAnything: Bool { maxAge != nil || maxTotal != nil || minFree != nil }
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
        if case .scalar(let scalar) = value, scalar.text.hasSuffix("%") {
            return Percent.read(value, at: path, into: &faults).map(FreeSpace.share)
        }
        let before = faults.count
        let size = ByteCount.read(value, at: path, into: &faults).map(FreeSpace.size)
        if case .scalar(let scalar) = value {
            for index in before..<faults.count where faults[index].code == .missingUnit {
                faults[index].fix = "write \(scalar.text)% or \(scalar.text)GiB, as is meant"
            }
        }
        return size
    }

    package var optionText: String? {
        switch self {
        case .share(let share): share.optionText
        case .size(let size): size.optionText
        }
    }
}
