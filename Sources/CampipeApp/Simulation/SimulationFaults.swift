import CampipeKit

/// What a simulated camera does wrong, and when: a value that each connection asks before each picture.
struct SimulationFaults: Sendable {
    /// Sends bare JPEGs back to back.
    var omitsBoundary = false
    var stallEvery: Duration?
    var cutEvery: Duration?
    var damageEvery: Duration?

    /// How long a stall lasts: by default longer than what a client takes for one.
    var stallFor = Self.usualStall

    static let usualStall = Duration.seconds(8)

    enum Fault: Hashable, Sendable { case stall, cut, damage }

    /// The fault that falls between the picture before and this one, both as times since the connection began.
    func fault(from before: Duration, to now: Duration) -> Fault? {
        func falls(_ every: Duration?) -> Bool {
            guard let every, every > .zero else { return false }
            return before.nanoseconds / every.nanoseconds != now.nanoseconds / every.nanoseconds
        }
        if falls(cutEvery) { return .cut }
        if falls(stallEvery) { return .stall }
        return falls(damageEvery) ? .damage : nil
    }

    /// The picture with a hole in its entropy-coded data, and every second time without its end.
    static func damaged(_ jpeg: [UInt8], number: Int) -> [UInt8] {
        var jpeg = jpeg
        let start = jpeg.count * 3 / 5
        // No marker comes into being: the hole is filled with one harmless byte.
        for index in start..<min(start + 200, jpeg.count - 2) { jpeg[index] = 0x55 }
        if number % 2 == 1 { jpeg.removeLast(2) }
        return jpeg
    }
}
