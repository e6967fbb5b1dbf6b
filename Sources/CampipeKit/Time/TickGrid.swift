/// When something happens that has a rate of its own: at whole multiples of its period on the pipeline's line. A value.
package struct TickGrid: Sendable {
    private let rate: Double
    /// The last one that was had, by its number.
    private var last: Int64?

    /// - Parameter rate: Ticks a second, above 0.
    package init(rate: Double) { self.rate = rate }

    private func instant(_ number: Int64) -> Instant {
        .zero + .nanoseconds(Int64((Double(number) * 1e9 / rate).rounded()))
    }

    /// The number of the last tick at or before an instant.
    private func number(at instant: Instant) -> Int64 {
        let guess = Int64((Double(instant.nanoseconds) * rate / 1e9).rounded(.down))
        return self.instant(guess + 1) <= instant ? guess + 1 : self.instant(guess) > instant ? guess - 1 : guess
    }

    /// The next one of what is not live: none is left out; the first is at zero.
    package var next: Instant { instant(last.map { $0 + 1 } ?? 0) }

    /// The one of what is live that is due now: those that were missed are left out. nil before it is due.
    package func due(at now: Instant) -> Instant? {
        let number = number(at: now)
        guard let last else { return instant(number) }
        return number > last ? instant(number) : nil
    }

    /// When the next one of what is live is due.
    package func next(after now: Instant) -> Instant { instant(max(number(at: now), last ?? .min) + 1) }

    /// It was had.
    package mutating func had(_ instant: Instant) { last = number(at: instant) }
}
