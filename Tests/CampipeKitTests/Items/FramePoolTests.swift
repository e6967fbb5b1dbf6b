import Testing

@testable import CampipeKit

@Suite("Frame pool")
struct FramePoolTests {
    @Test("fresh memory is zero, memory comes again, and nothing is left when the pictures went")
    func reuse() {
        let pool = FramePool()
        var address = 0
        do {
            let buffer = pool.buffer(.yuv420, Size(33, 17))
            for index in 0..<3 {
                buffer.withMutablePlane(index) { pointer, plane in
                    if index == 0 { address = Int(bitPattern: pointer) }
                    for offset in 0..<plane.stride * plane.height { #expect(pointer[offset] == 0) }
                    pointer[0] = 9
                }
            }
            #expect(pool.usedBytes == buffer.byteCount)
        }
        #expect(pool.usedBytes == 0)
        let again = pool.buffer(.yuv420, Size(33, 17))
        again.withPlane(0) { pointer, _ in #expect(Int(bitPattern: pointer) == address) }
        #expect(pool.freeBytes == 0)
    }

    @Test("rows are aligned, and planes do not overlap", arguments: PixelFormat.allCases)
    func layout(pixel: PixelFormat) {
        let buffer = FramePool().buffer(pixel, Size(35, 19))
        #expect(buffer.planes.count == pixel.planeCount)
        var end = 0
        for plane in buffer.planes {
            #expect(plane.offset >= end && plane.stride % PixelBuffer.alignment == 0)
            #expect(plane.stride >= plane.width * plane.bytesPerPixel)
            end = plane.offset + plane.stride * plane.height
        }
        #expect(buffer.byteCount >= end + PixelBuffer.alignment)
        buffer.withPlane(0) { pointer, _ in #expect(Int(bitPattern: pointer) % PixelBuffer.alignment == 0) }
    }

    @Test("it keeps no more than it may, and after a change of size the old one makes room")
    func bounded() {
        let pool = FramePool(keep: .kibibytes(64))
        let size = Size(64, 64)
        do { _ = (0..<40).map { _ in pool.buffer(.gray8, size) } }
        #expect(pool.usedBytes == 0 && pool.freeBytes <= 65_536 && pool.freeBytes > 55_000)
        let other = Size(128, 64)
        do { _ = (0..<40).map { _ in pool.buffer(.gray8, other) } }
        #expect(pool.freeBytes <= 65_536)
        let free = pool.freeBytes
        do {
            let buffers = (0..<4).map { _ in pool.buffer(.gray8, other) }
            #expect(pool.freeBytes <= free - buffers.reduce(0) { $0 + $1.byteCount })
        }
        do { _ = pool.buffer(.gray8, Size(1000, 1000)) }
        #expect(pool.freeBytes <= 65_536, "what alone is too large is not kept")
    }

    @Test("many threads take and give back without losing any")
    func threads() async {
        let pool = FramePool()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<200 { _ = pool.buffer(.gray8, Size(16, 16)) } } }
        }
        #expect(pool.usedBytes == 0)
    }

    @Test(
        "a picture that there is not, or that is too large, is refused by an error, and nothing is counted as used",
        arguments: [
            (PixelFormat.rgb24, Size(100_000, 100_000), "there is no picture of 100000x100000 pixels"),
            (.gray8, Size(0, 10), "there is no picture of 0x10 pixels"),
            (.gray8, Size(10, -1), "there is no picture of 10x-1 pixels"),
            (.gray8, Size(Int.max, Int.max), "there is no picture of"),
            (.rgb24, Size(65_535, 65_535), "a picture of 65535x65535 pixels in rgb24 takes 12287 MiB"),
        ])
    func tooLarge(_ pixel: PixelFormat, _ size: Size, _ sentence: String) throws {
        let pool = FramePool()
        let error = #expect(throws: CampipeError.self) { try pool.picture(pixel, size) }
        #expect(error?.kind == .unsupported)
        #expect(error?.message.hasPrefix(sentence) == true, "\(String(describing: error))")
        #expect(pool.usedBytes == 0)
        #expect(try pool.picture(pixel, Size(16, 16)).size == Size(16, 16))
    }

    @Test("a flat picture for tests has its level everywhere, and no colour", arguments: PixelFormat.allCases)
    func flat(pixel: PixelFormat) {
        let frame = Frame.flat(200, pixel, Size(5, 3), at: .seconds(2))
        let last = pixel == .rgb24 ? 14 : 4
        #expect(frame.level() == 200 && frame.level(x: last, y: 2) == 200)
        for plane in 1..<max(pixel.planeCount, 1) { #expect(frame.level(plane: plane) == 128) }
        #expect(frame.captured == .zero + .seconds(2) && frame.pts.duration == .seconds(2))
    }
}
