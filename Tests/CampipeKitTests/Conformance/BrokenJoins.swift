import CampipeKit

// Joins that each break one rule of the contract and keep the others.

/// Keeps every primary picture.
struct Collecting: Join {
    static let name = "collecting"
    static let summary = "Keeps every primary picture."
    static let inputs: [any AnyPort] = [In<Frame>("input"), In<Event>("events", optional: true)]
    private var all: [Frame] = []
    mutating func process(_ primary: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {
        all.append(copy primary)
        output.emit(primary)
    }
}

/// Hands on the picture before, which a join cannot say that it holds.
struct Trailing: Join {
    static let name = "trailing"
    static let summary = "Hands on the picture before."
    static let inputs: [any AnyPort] = [In<Frame>("input"), In<Event>("events", optional: true)]
    private var last: Frame?
    mutating func process(_ primary: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {
        if let last { output.emit(last) }
        last = primary
    }
    mutating func drain(to output: inout Output) throws {
        if let last { output.emit(last) }
        last = nil
    }
}

/// Keeps the picture that it marks.
struct Tracing: Join {
    static let name = "tracing"
    static let summary = "Keeps the picture that it marks."
    static let events = In<Event>("events", optional: true)
    static let inputs: [any AnyPort] = [In<Frame>("input"), events]
    private var last: Frame?
    mutating func process(_ primary: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {
        last = copy primary
        let level = UInt8(side.events(Self.events).count)
        primary.withMutablePlane(0) { pointer, _ in pointer[0] = level }
        output.emit(primary)
    }
}

/// Works for the first size only.
struct Unbending: Join {
    static let name = "unbending"
    static let summary = "Works for the first size only."
    static let inputs: [any AnyPort] = [In<Frame>("input"), In<Event>("events", optional: true)]
    private var size: Size?
    mutating func process(_ primary: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {
        if let size, size != primary.size { throw CampipeError(.unsupported, "the size changed to \(primary.size)") }
        size = primary.size
        output.emit(primary)
    }
}

/// Ties a knot around an event of its side, once in a hundred.
struct Entangled: Join {
    final class Knot {
        var other: Knot?
        var event: Event?
    }
    static let name = "entangled"
    static let summary = "Ties a knot around what its side brings."
    static let events = In<Event>("events", optional: true)
    static let inputs: [any AnyPort] = [In<Frame>("input"), events]
    private var seen = 0
    mutating func process(_ primary: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {
        for event in side.events(Self.events) {
            seen += 1
            guard seen % 100 == 0 else { continue }
            let knot = Knot()
            knot.other = knot
            knot.event = event
        }
        output.emit(primary)
    }
}
