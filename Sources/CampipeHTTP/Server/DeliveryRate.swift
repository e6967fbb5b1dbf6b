import CampipeKit

/// How many pictures a second went out whole to a viewer. A value.
struct DeliveryRate {
    private var delivered = 0
    /// Those until the last tick, and when it was.
    private var counted: (delivered: Int, at: Instant)?
    /// As of the last tick.
    private(set) var fps = 0

    /// One went out.
    mutating func wasSent() { delivered += 1 }

    /// Called about once a second.
    mutating func tick(_ now: Instant) {
        if let counted, now > counted.at {
            fps = Int((Double(delivered - counted.delivered) / (now - counted.at).seconds).rounded())
        }
        counted = (delivered, now)
    }
}
