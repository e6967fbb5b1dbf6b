import CampipeKit

/// Pictures and packets for tests.
enum Pictures {
    static func frame(
        _ milliseconds: Int = 0, _ pixel: PixelFormat = .gray8, size: Size = Size(16, 8), level: UInt8 = 100,
        pool: FramePool = FramePool()
    ) -> Frame {
        let buffer = pool.buffer(pixel, size)
        for index in 0..<pixel.planeCount {
            buffer.withMutablePlane(index) { pointer, plane in
                pointer.update(repeating: level, count: plane.stride * plane.height)
            }
        }
        let captured = Instant.zero + .milliseconds(milliseconds)
        return Frame(buffer, captured: captured, pts: MediaTime(captured - .zero))
    }

    static func packet(_ milliseconds: Int = 0, _ bytes: [UInt8] = [1]) -> Packet {
        let captured = Instant.zero + .milliseconds(milliseconds)
        return Packet(Bytes(bytes), format: .jpeg, captured: captured, pts: MediaTime(captured - .zero))
    }

    static func event(_ milliseconds: Int = 0, _ kind: EventKind = .motionStarted) -> Event {
        Event(kind, id: "1", captured: .zero + .milliseconds(milliseconds), node: "watch")
    }

    static func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }
}

extension Frame {
    /// The level of the first pixel.
    var level: UInt8 { withPlane(0) { pointer, _ in pointer[0] } }
}
