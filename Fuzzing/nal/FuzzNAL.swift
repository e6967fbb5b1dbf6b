// fuzz-modules: CPluginABI CampipeKit CampipeMedia
// fuzz-libraries: libavformat libavcodec libavutil libswscale libturbojpeg freetype2 fontconfig chafa libqrencode
//
// Fuzzes the readers of NAL units and parameter sets, and what is made of them for an MP4, of H.264 where the first byte is
// even, else of H.265.
//
// Found to be wrong: a trap, a unit out of place, a size that cannot be, a picture before the first keyframe, or a fragment that
// is not as long as it says.
import CampipeKit
@testable import CampipeMedia

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNAL(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = UnsafeRawBufferPointer(start: start, count: count)
    guard count > 1 else { return 0 }
    let coding: VideoCoding = data[0] & 1 == 0 ? .h264 : .h265
    let bytes = Array(data[1...])
    let units = NALUnits.find(in: bytes)
    var end = 0
    for unit in units {
        precondition(
            unit.lowerBound >= end + 3 && unit.upperBound <= bytes.count && !unit.isEmpty, "a unit out of place")
        end = unit.upperBound
        let read =
            coding == .h264 ? SequenceParameters(h264: bytes[unit]) : SequenceParameters(h265: bytes[unit])
        if let read {
            precondition(read.size.width > 0 && read.size.width <= 16_384, "a width that cannot be")
            precondition(read.size.height > 0 && read.size.height <= 16_384, "a height that cannot be")
            precondition((0...16).contains(read.reordering ?? 0), "more reordered than may be")
        }
    }
    let kind = AccessUnitKind(bytes, units: units, coding: coding)
    precondition(!(kind.isKey && kind.isDisposable), "a keyframe that nobody needs")
    var muxer = FragmentMuxer()
    var stream = VideoStream(coding, sets: [], rate: nil, clockRate: 90_000)
    for round in 0..<2 {
        if case .unit(let unit) = stream.take(bytes, isDamaged: round == 1) {
            precondition(round == 1 || unit.isKey, "a delta came first")
            precondition(unit.bytes.count >= bytes.count, "bytes went missing")
            let format = stream.format(of: coding == .h264 ? .h264 : .h265)
            let packet = Packet(
                unit.bytes, format: format, captured: .zero, pts: MediaTime(.zero), isKeyframe: unit.isKey)
            if case .begin(let initialization, let fragment) = muxer.take(packet) {
                precondition(fragment.isKey && initialization.bytes.count > 400, "no beginning")
                precondition(fragment.head.count == 112 && fragment.body.count > 4, "no fragment")
            }
        }
    }
    return 0
}
