import Testing

@testable import CampipeKit

@Suite("Copy on write")
struct CopyOnWriteTests {
    @Test("a frame that nobody else holds is painted in place")
    func unshared() {
        let pool = FramePool()
        var frame = Pictures.frame(pool: pool)
        frame.mapLuma { 255 - $0 }
        frame.captured = Pictures.at(7)
        #expect(pool.copies == 0 && frame.level == 155)
    }

    @Test("the header and the pixels are copied each when shared, and only then")
    func twoLevels() {
        let pool = FramePool()
        let first = Pictures.frame(pool: pool)
        var second = first
        second.captured = Pictures.at(5)
        second.isDamaged = true
        #expect(pool.copies == 0, "another time needs no other pixels")
        #expect(first.captured == .zero && !first.isDamaged && second.captured == Pictures.at(5))
        #expect(first.pixels === second.pixels)
        second.mapLuma { _ in 1 }
        #expect(pool.copies == 1 && first.level == 100 && second.level == 1)
        second.mapLuma { _ in 2 }
        #expect(pool.copies == 1)
        #expect(pool.usedBytes == first.pixels.byteCount * 2, "the copy comes from the same pool")
    }

    @Test("a foreign picture is copied on the first write and released once")
    func foreign() {
        let released = Lock(0)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 50, count: 256)
        let address = Int(bitPattern: memory)
        do {
            let plane = PixelBuffer.Plane(offset: 0, stride: 16, width: 8, height: 4, bytesPerPixel: 1)
            let buffer = PixelBuffer(
                foreign: memory, byteCount: 64, pixel: .gray8, size: Size(8, 4), planes: [plane],
                release: {
                    released.withLock { $0 += 1 }
                    UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
                })
            var frame = Frame(buffer, captured: .zero, pts: MediaTime(.zero))
            frame.withLuma { pointer, stride in pointer[3 * stride + 7] = 1 }
            #expect(buffer.withPlane(0) { pointer, plane in pointer[3 * plane.stride + 7] } == 50)
            #expect(!frame.pixels.isForeign && frame.level == 50)
        }
        #expect(released.withLock { $0 } == 1)
    }

    @Test("painting forgets the packet that the picture came from, another time does not")
    func origin() {
        let packet = Pictures.packet(3)
        var frame = Frame(
            FramePool().buffer(.gray8, Size(4, 4)), captured: packet.captured, pts: packet.pts, origin: packet)
        frame.captured = Pictures.at(9)
        #expect(frame.origin != nil)
        frame.withLuma { pointer, _ in pointer[0] = 1 }
        #expect(frame.origin == nil)
    }

    @Test("a packet's header is copied when shared, its bytes never")
    func packets() {
        let first = Pictures.packet()
        var second = first
        second.pts = MediaTime(.seconds(1))
        second.isDamaged = true
        second.cameraTime = WallTime(microseconds: 4)
        #expect(first.pts == MediaTime(.zero) && !first.isDamaged && first.cameraTime == nil)
        #expect(second.data === first.data && second.isDamaged)
        var damaged = second
        damaged.isDamaged = false
        #expect(second.isDamaged && !damaged.isDamaged)
        let other = second.replacing(Bytes([9]), format: .h264)
        #expect(other.isDamaged && other.cameraTime == second.cameraTime && other.pts == second.pts)
    }

    @Test("an event that is repeated leaves the first as it was")
    func events() {
        let first = Pictures.event()
        let again = first.repeated(at: Pictures.at(10)).at(WallTime(microseconds: 1))
        #expect(!first.isRepeat && first.captured == .zero && first.wallTime == nil)
        #expect(again.isRepeat && again.captured == Pictures.at(10) && again.id == first.id)
    }

    @Test("an in-place node on an unshared frame copies no pixel, through the box and its output")
    func throughTheBox() throws {
        let pool = FramePool()
        let harness = try NodeHarness(Invert.self)
        for time in 0..<3 { try harness.push(Pictures.frame(time, pool: pool)) }
        for frame in harness.takeItems(Frame.self) { #expect(frame.level == 155) }
        #expect(pool.copies == 0)
        let kept = Pictures.frame(4, pool: pool)
        try harness.push(kept)
        #expect(pool.copies == 1 && kept.level == 100)
    }

    @Test("items are one word, with or without an optional")
    func words() {
        #expect(MemoryLayout<Packet>.size == 8 && MemoryLayout<Frame?>.size == 8 && MemoryLayout<Event?>.size == 8)
    }
}

/// Works in place, as most transforms of pictures do.
struct Invert: Transform {
    static let name = "invert"
    static let summary = "Turns light into dark."
    static let accepts: [Format] = [.frames(.gray8), .frames(.yuv420), .frames(.nv12)]
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        frame.mapLuma { 255 - $0 }
        output.emit(frame)
    }
}
