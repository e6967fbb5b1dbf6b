import CampipeKit

// Transforms that keep the contract in a stream that nothing disturbs.

/// Counts its times anew where the size changes.
struct Anew: Transform {
    static let name = "anew"
    static let summary = "Counts its times anew where the size changes."
    private var number = 0
    mutating func begin(_ input: Format) throws { number = 0 }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        frame.pts = MediaTime(.milliseconds(40) * number)
        number += 1
        output.emit(frame)
    }
}

/// Keeps to the size that came first.
struct Faithful: Transform {
    static let name = "faithful"
    static let summary = "Keeps to the size that came first."
    private var pool = FramePool.shared
    private var size: Size?
    mutating func open(_ context: borrowing Context) throws { pool = context.pool }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        let size = size ?? frame.size
        self.size = size
        if size == frame.size { return output.emit(frame) }
        let buffer = pool.buffer(frame.pixel, size)
        for index in buffer.planes.indices {
            buffer.withMutablePlane(index) { pointer, plane in
                pointer.update(repeating: 0, count: plane.stride * plane.height)
            }
        }
        output.emit(frame.replacing(buffer))
    }
}

/// Shows the last picture once more after a gap.
struct Wistful: Transform {
    static let name = "wistful"
    static let summary = "Shows the last picture once more after a gap."
    private var last: Frame?
    private var isSad = false
    mutating func gap(_ gap: Gap) { isSad = true }
    mutating func begin(_ input: Format) throws { last = nil }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        if isSad, let last { output.emit(last) }
        isSad = false
        last = copy frame
        output.emit(frame)
    }
}

/// Hands nothing on after a gap that is not the loss of the camera.
struct Sulking: Transform {
    static let name = "sulking"
    static let summary = "Hands nothing on after a gap."
    private var isHurt = false
    mutating func gap(_ gap: Gap) { if !gap.isLost { isHurt = true } }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        if !isHurt { output.emit(frame) }
    }
}

/// Fails where the size changes right after the camera was lost.
struct Overwhelmed: Transform {
    static let name = "overwhelmed"
    static let summary = "Fails where the size changes after a loss."
    private var hasBegun = false
    private var isLost = false
    mutating func gap(_ gap: Gap) { isLost = gap.isLost }
    mutating func begin(_ input: Format) throws {
        defer { hasBegun = true }
        if isLost, hasBegun { throw CampipeError(.failed, "that is too much at once") }
    }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        isLost = false
        output.emit(frame)
    }
}

/// Takes anything for a number in a group.
struct Careless: Transform {
    struct Limits: OptionGroup {
        @Option("A number.") var most = Credulous.Anything()
    }
    static let name = "careless"
    static let summary = "Takes anything for a number in a group."
    @Option("What it may take.") var limits = Limits()
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws { output.emit(frame) }
}
