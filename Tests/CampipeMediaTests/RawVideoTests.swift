import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Pictures that are not coded")
struct RawVideoTests {
    @Test(
        "are decoded by the layout that the file says, upside down too",
        arguments: [("yuyv.avi", [UInt8(76), 76]), ("bgr24.avi", [29, 76])])
    func decoded(_ name: String, _ levels: [UInt8]) throws {
        let (reader, packets) = try MediaReaderTests.packets(name)
        #expect(packets.count == 3 && packets.allSatisfy(\.isKeyframe))
        let decoder = try VideoDecoder(reader.video.format)
        var frames: [Frame] = []
        for packet in packets { frames += try decoder.decode(packet, pool: .shared) }
        frames += try decoder.drain(pool: .shared)
        #expect(frames.count == 3)
        for frame in frames {
            #expect(frame.format.pixel == .yuv420 && frame.size == Size(16, 12))
            for (y, level) in zip([2, 9], levels) {
                let found = FrameCompare.level(frame, 5, y)
                #expect(abs(Int(found) - Int(level)) <= 2, "\(found) in the row \(y)")
            }
        }
    }

    @Test("a layout that nobody knows is refused by its name")
    func unknown() {
        var format = PacketFormat(.other, size: Size(16, 12))
        format.codecName = "rawvideo/nothing"
        let error = #expect(throws: CampipeError.self) { _ = try VideoDecoder(format) }
        #expect(error?.message.contains("rawvideo/nothing") == true)
    }
}
