import CampipeKit
import Glibc

/// Nodes that each break one rule of the contract and keep the others.

/// Its summary is no sentence.
struct Undescribed: Transform {
    static let name = "undescribed"
    static let summary = "hands on"
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws { output.emit(frame) }
}

/// Takes anything as its option.
struct Credulous: Transform {
    struct Anything: OptionValue {
        static let optionType = OptionType.integer
        static let optionPlaceholder = Anything()
        let optionText: String? = nil
        static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Anything? { Anything() }
    }
    static let name = "credulous"
    static let summary = "Takes anything as its option."
    @Option("Anything at all.") var level = Anything()
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws { output.emit(frame) }
}

/// Counts its instances, and shows it.
struct Counted: Transform {
    static let made = Lock(0)
    static let name = "counted"
    static let summary = "Counts its instances."
    @Option("Which instance it is.") var instance = Counted.made.withLock { count -> Int in
        count += 1
        return count
    }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws { output.emit(frame) }
}

/// Cannot be finished when nothing came.
struct Hasty: Transform {
    static let name = "hasty"
    static let summary = "Cannot be finished when nothing came."
    private var seen = 0
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        seen += 1
        output.emit(frame)
    }
    mutating func finish() throws { if seen == 0 { throw CampipeError(.failed, "nothing to finish") } }
}

/// Opens a file, and does not close it.
struct Forgetful: Transform {
    static let opened = Lock<[Int32]>([])
    static let name = "forgetful"
    static let summary = "Opens a file, and does not close it."
    mutating func open(_ context: borrowing Context) throws {
        let descriptor = Glibc.open("/dev/null", O_RDONLY)
        Self.opened.withLock { $0.append(descriptor) }
    }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws { output.emit(frame) }
}

/// Sends each second picture back in time.
struct Backwards: Transform {
    static let name = "backwards"
    static let summary = "Sends each second picture back in time."
    private var seen = 0
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        seen += 1
        if seen % 2 == 0 { frame.pts = MediaTime(frame.pts.duration - .milliseconds(100)) }
        output.emit(frame)
    }
}

/// Says that it hands on what comes, and hands on smaller pictures.
struct Shrinking: Transform {
    static let name = "shrinking"
    static let summary = "Hands on smaller pictures than it says."
    private var pool = FramePool.shared
    mutating func open(_ context: borrowing Context) throws { pool = context.pool }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        let buffer = pool.buffer(frame.pixel, Size(4, 4))
        for index in buffer.planes.indices {
            buffer.withMutablePlane(index) { pointer, plane in
                pointer.update(repeating: 0, count: plane.stride * plane.height)
            }
        }
        output.emit(frame.replacing(buffer))
    }
}

/// Paints at random.
struct Moody: Transform {
    static let name = "moody"
    static let summary = "Paints at random."
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        let level = UInt8.random(in: 0...255)
        frame.withMutablePlane(0) { pointer, _ in pointer[0] = level }
        output.emit(frame)
    }
}

/// Keeps every picture until it is finished.
struct Hoarding: Transform {
    static let name = "hoarding"
    static let summary = "Keeps every picture."
    private var all: [Frame] = []
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        all.append(copy frame)
        output.emit(frame)
    }
}

/// Hands on the picture before, and does not say that it holds one.
struct Dawdling: Transform {
    static let name = "dawdling"
    static let summary = "Holds one picture, and does not say so."
    private var last: Frame?
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        if let last { output.emit(last) }
        last = frame
    }
    mutating func drain(to output: inout Output) throws {
        if let last { output.emit(last) }
        last = nil
    }
}

/// Keeps the picture that it paints on.
struct Copying: Transform {
    static let name = "copying"
    static let summary = "Keeps the picture that it paints on."
    private var last: Frame?
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        last = copy frame
        frame.withMutablePlane(0) { pointer, _ in pointer[0] = 0 }
        output.emit(frame)
    }
}

/// Fails at the first item after a gap that is not the loss of the camera.
struct Gapless: Transform {
    static let name = "gapless"
    static let summary = "Cannot do with gaps."
    private var isBroken = false
    mutating func gap(_ gap: Gap) { if !gap.isLost { isBroken = true } }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        if isBroken { throw CampipeError(.failed, "a picture is missing") }
        output.emit(frame)
    }
}

/// Hands nothing on after the camera was lost.
struct Offended: Transform {
    static let name = "offended"
    static let summary = "Hands nothing on after the camera was lost."
    private var isLost = false
    mutating func gap(_ gap: Gap) { if gap.isLost { isLost = true } }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        if !isLost { output.emit(frame) }
    }
}

/// Emits what it held at every draining.
struct Repeating: Transform {
    static let name = "repeating"
    static let summary = "Emits what it held at every draining."
    private var last: Frame?
    var holds: Int { 1 }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        if let last { output.emit(last) }
        last = frame
    }
    mutating func drain(to output: inout Output) throws { if let last { output.emit(last) } }
    mutating func begin(_ input: Format) throws { last = nil }
}

/// Works for the first size only.
struct Rigid: Transform {
    static let name = "rigid"
    static let summary = "Works for the first size only."
    private var size: Size?
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        if let size, size != frame.size { throw CampipeError(.unsupported, "the size changed to \(frame.size)") }
        size = frame.size
        output.emit(frame)
    }
}

/// Takes its time to finish.
struct Slow: Transform {
    static let name = "slow"
    static let summary = "Takes its time to finish."
    static let accepts: [Format] = [.frames(.gray8)]
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws { output.emit(frame) }
    mutating func finish() throws { usleep(5000) }
}

/// Ties a knot around a picture of its own, once in a hundred.
struct Knotted: Transform {
    final class Knot {
        var other: Knot?
        var picture: PixelBuffer?
    }
    static let name = "knotted"
    static let summary = "Ties a knot around a picture of its own."
    private var pool = FramePool.shared
    private var seen = 0
    mutating func open(_ context: borrowing Context) throws { pool = context.pool }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        seen += 1
        if seen % 100 == 0 {
            let knot = Knot()
            knot.other = knot
            knot.picture = pool.buffer(.gray8, Size(8, 8))
        }
        output.emit(frame)
    }
}

/// Fails at its five hundredth picture.
struct Tiring: Transform {
    static let name = "tiring"
    static let summary = "Fails at its five hundredth picture."
    private var seen = 0
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        seen += 1
        if seen == 500 { throw CampipeError(.failed, "the counter is full") }
        output.emit(frame)
    }
}

/// Says its password.
struct Talkative: Transform {
    static let name = "talkative"
    static let summary = "Says its password."
    @Option("Its password.") var password: Secret? = nil
    mutating func open(_ context: borrowing Context) throws {
        context.log.info("connecting", ["password": password?.revealed ?? "none"])
    }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws { output.emit(frame) }
}
