// fuzz-modules: CPluginABI CampipeKit CampipeMedia
// fuzz-libraries: libavformat libavcodec libavutil libswscale libturbojpeg freetype2 fontconfig chafa libqrencode
//
// Fuzzes the decoder of JPEGs. The first byte of the input chooses the reduction and whether luma is enough; a picture
// as it stands is an input too: its first byte, FF, is both, and asks for luma at an eighth.
//
// Found to be wrong: a trap, a pixel of the picture that shows what was in the memory before, a size that is not the
// header's, luma at an eighth or planes at three eighths that are not byte for byte TurboJPEG's, a good JPEG that fails
// behind it.
@testable import CampipeKit
@testable import CampipeMedia
import Glibc

private struct Decoded: Equatable {
    var cells: [UInt8] = []
    var isDamaged = false
    var isRefused = false
}

private let good: Bytes = {
    guard let file = fopen("Fuzzing/decode/corpus/444.jpg", "r") else { fatalError("run it from the source tree") }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    fclose(file)
    return Bytes(Array(bytes[..<count]))
}()

private let scales: [JPEGScale] = [.full, .half, .quarter, .eighth]
nonisolated(unsafe) private let decoder = JPEGDecoder(pixelLimit: 1 << 18)

/// Decodes into memory that holds nothing but `poison`.
private func decode(_ bytes: Bytes, _ scale: JPEGScale, _ lumaOnly: Bool, poison: UInt8) -> Decoded {
    let pool = FramePool()
    guard let size = (try? JPEGHeader(bytes))?.size, size.pixels <= 1 << 18 else { return Decoded(isRefused: true) }
    for format in [PixelFormat.yuv420, .yuv422, .yuv444, .gray8] {
        let buffer = pool.buffer(format, scale.size(of: size))
        for plane in buffer.planes.indices {
            buffer.withMutablePlane(plane) { base, plane in
                base.update(repeating: poison, count: plane.stride * plane.height)
            }
        }
    }
    guard let (pixels, isDamaged) = try? decoder.decode(bytes, scale: scale, lumaOnly: lumaOnly, pool: pool) else {
        return Decoded(isRefused: true)
    }
    precondition(pixels.size == scale.size(of: size), "\(pixels.size) of \(size)")
    var decoded = Decoded(isDamaged: isDamaged)
    for plane in pixels.planes.indices {
        pixels.withPlane(plane) { base, plane in
            for y in 0..<plane.height {
                decoded.cells += UnsafeBufferPointer(
                    start: base + y * plane.stride, count: plane.width * plane.bytesPerPixel)
            }
        }
    }
    return decoded
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecode(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = UnsafeRawBufferPointer(start: start, count: count)
    guard count > 1 else { return 0 }
    let choice = data[0]
    let bytes = Bytes(Array(choice == 0xFF ? data : UnsafeRawBufferPointer(rebasing: data[1...])))
    let scale = choice & 8 == 0 || choice == 0xFF ? scales[Int(choice & 3)] : .threeEighths
    let lumaOnly = choice & 4 != 0
    let first = decode(bytes, scale, lumaOnly, poison: 0x55)
    let second = decode(bytes, scale, lumaOnly, poison: 0xAA)
    precondition(first == second, "the picture shows what was in its memory")
    decoder.readsEighths = false
    let reference = decode(bytes, scale, lumaOnly, poison: 0x55)
    decoder.readsEighths = true
    precondition(first == reference, "not what TurboJPEG makes of it")
    let next = decode(good, .eighth, true, poison: 0x55)
    precondition(!next.isRefused && !next.isDamaged, "a good picture fails behind it")
    return 0
}
