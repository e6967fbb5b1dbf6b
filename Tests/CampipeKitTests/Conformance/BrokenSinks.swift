import CampipeKit
import Glibc

// Sinks that each break one rule of the contract and keep the others.

/// Opens a file, and does not close it.
struct Spilling: Sink {
    static let opened = Lock<[Int32]>([])
    static let name = "spilling"
    static let summary = "Opens a file, and does not close it."
    mutating func open(_ context: borrowing Context) throws {
        let descriptor = Glibc.open("/dev/null", O_WRONLY)
        Self.opened.withLock { $0.append(descriptor) }
    }
    mutating func consume(_ frame: consuming Frame) throws -> Next { .more }
}

/// Fails at the first picture after a gap that is not the loss of the camera.
struct Seamless: Sink {
    static let name = "seamless"
    static let summary = "Cannot do with gaps."
    private var isBroken = false
    mutating func gap(_ gap: Gap) { if !gap.isLost { isBroken = true } }
    mutating func consume(_ frame: consuming Frame) throws -> Next {
        if isBroken { throw CampipeError(.failed, "a picture is missing") }
        return .more
    }
}

/// Fails after the camera was lost.
struct Heartbroken: Sink {
    static let name = "heartbroken"
    static let summary = "Fails after the camera was lost."
    private var isLost = false
    mutating func gap(_ gap: Gap) { if gap.isLost { isLost = true } }
    mutating func consume(_ frame: consuming Frame) throws -> Next {
        if isLost { throw CampipeError(.failed, "the camera was lost") }
        return .more
    }
}

/// Cannot finish what it has begun.
struct Completist: Sink {
    static let name = "completist"
    static let summary = "Finishes dozens only."
    private var seen = 0
    mutating func consume(_ frame: consuming Frame) throws -> Next {
        seen += 1
        return .more
    }
    mutating func finish() throws {
        if (1..<12).contains(seen) { throw CampipeError(.failed, "\(seen) pictures make no dozen") }
    }
}

/// Works for the first size only.
struct Stubborn: Sink {
    static let name = "stubborn"
    static let summary = "Works for the first size only."
    private var size: Size?
    mutating func consume(_ frame: consuming Frame) throws -> Next {
        if let size, size != frame.size { throw CampipeError(.unsupported, "the size changed to \(frame.size)") }
        size = frame.size
        return .more
    }
}

/// Writes for a while when it is finished.
struct Reluctant: Sink {
    static let name = "reluctant"
    static let summary = "Takes its time to finish."
    mutating func consume(_ frame: consuming Frame) throws -> Next { .more }
    mutating func finish() throws { usleep(5000) }
}

/// Keeps every picture until it is finished, which a sink that runs for a year does not survive.
struct Greedy: Sink {
    static let name = "greedy"
    static let summary = "Keeps every picture."
    private var all: [Frame] = []
    mutating func consume(_ frame: consuming Frame) throws -> Next {
        all.append(frame)
        return .more
    }
}

/// Says its password when it fails.
struct Indiscreet: Sink {
    static let name = "indiscreet"
    static let summary = "Logs its password."
    @Option("Its password.") var password: Secret? = nil
    private var log = Log.silent
    mutating func open(_ context: borrowing Context) throws { log = context.log }
    mutating func consume(_ frame: consuming Frame) throws -> Next {
        if let password { log.debug("signing in as admin:\(password.revealed)") }
        return .more
    }
}
