import CampipeKit

/// Runs for one event at a time: while a program runs the newest event waits, and those in between are left out. A value.
struct CommandTurns: Sendable {
    private(set) var isBusy = false
    private(set) var waiting: Event?

    enum Step: Sendable {
        case run(Event)
        case wait
        /// It waits in the place of another one.
        case replaced
    }

    mutating func came(_ event: Event) -> Step {
        guard isBusy else {
            isBusy = true
            return .run(event)
        }
        defer { waiting = event }
        return waiting == nil ? .wait : .replaced
    }

    /// The program is over, or could not be started.
    ///
    /// - Returns: The event to run for next.
    mutating func ended() -> Event? {
        let next = waiting.take()
        isBusy = next != nil
        return next
    }

    /// Nothing more is to be run.
    ///
    /// - Returns: Whether an event waited.
    mutating func close() -> Bool { waiting.take() != nil }
}
