import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Stills in the place of a picture that does not come")
struct StillPicturesTests {
    private let stills = StillPictures()

    private func frame(_ pixel: PixelFormat, _ range: ColorRange, _ luma: UInt8) -> Frame {
        let buffer = FramePool.shared.buffer(pixel, Size(320, 180))
        for index in buffer.planes.indices {
            buffer.withMutablePlane(index) { base, plane in
                base.update(repeating: index == 0 ? luma : 90, count: plane.stride * plane.height)
            }
        }
        return Frame(buffer, range: range, matrix: .bt601, captured: .zero, pts: MediaTime(.zero))
    }

    private func value(_ frame: Frame, plane index: Int = 0) -> UInt8 { frame.withPlane(index) { base, _ in base[0] } }

    @Test("a dimmed picture has two fifths of its light and no colour, and black stays black")
    func dimmed() {
        #expect(value(stills.dimmed(frame(.yuv420, .full, 200))) == 80)
        #expect(value(stills.dimmed(frame(.yuv420, .limited, 216))) == 96)
        #expect(value(stills.dimmed(frame(.yuv420, .limited, 16))) == 16)
        #expect(value(stills.dimmed(frame(.yuv420, .full, 200)), plane: 1) == 128)
        #expect(value(stills.dimmed(frame(.nv12, .full, 200)), plane: 1) == 128)
        #expect(value(stills.dimmed(frame(.rgb24, .full, 200))) == 80)
    }

    @Test("an age is written into a copy, so that one picture serves for a whole stall")
    func aged() {
        let dimmed = stills.dimmed(frame(.yuv420, .full, 100))
        let aged = stills.aged(dimmed, by: .seconds(7))
        #expect(brightest(dimmed) == 40)
        #expect(brightest(aged) > 200)
    }

    @Test(
        "NO SIGNAL fits every size, odd and tiny ones too",
        arguments: [Size(640, 360), Size(161, 121), Size(16, 16), Size(2, 200), Size(1920, 1080)])
    func noSignal(_ size: Size) throws {
        let jpeg = try stills.jpeg(stills.noSignal(size, pool: .shared), pool: .shared)
        #expect(try JPEGHeader(jpeg).size == size)
    }

    @Test("what is no JPEG is refused")
    func refused() {
        let packet = Packet(Bytes([1, 2, 3]), format: .jpeg, captured: .zero, pts: MediaTime(.zero))
        #expect(throws: CampipeError.self) { try stills.dimmed(packet, pool: .shared) }
    }

    @Test(
        "an age reads as people say it",
        arguments: [
            (0.0, "0 s ago"), (7.9, "7 s ago"), (187, "3 min 7 s ago"), (7500, "2 h 5 min ago"), (-3, "0 s ago"),
        ])
    func text(_ seconds: Double, _ text: String) { #expect(StillPictures.text(of: .seconds(seconds)) == text) }

    private func brightest(_ frame: Frame) -> UInt8 {
        frame.withPlane(0) { base, plane in
            var most: UInt8 = 0
            for y in 0..<plane.height { for x in 0..<plane.width { most = max(most, base[y * plane.stride + x]) } }
            return most
        }
    }
}
