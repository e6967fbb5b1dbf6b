import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Luma at an eighth, and planes at three eighths, are what TurboJPEG makes of them")
struct EighthsTests {
    /// What the readers are asked for.
    struct Wanted: Sendable {
        var scale: JPEGScale
        var lumaOnly: Bool
    }
    static let wanted = [
        Wanted(scale: .eighth, lumaOnly: true), Wanted(scale: .threeEighths, lumaOnly: false),
        Wanted(scale: .threeEighths, lumaOnly: true),
    ]

    /// The picture, whether it is damaged, or the kind of error.
    private func outcome(
        _ bytes: [UInt8], _ wanted: Wanted, own: Bool
    ) -> (cells: [UInt8], isDamaged: Bool, error: String?) {
        let decoder = JPEGDecoder(pixelLimit: 1_000_000)
        decoder.readsEighths = own
        do {
            let (pixels, isDamaged) = try decoder.decode(
                Bytes(bytes), scale: wanted.scale, lumaOnly: wanted.lumaOnly, pool: FramePool())
            var cells: [UInt8] = []
            for plane in pixels.planes.indices {
                pixels.withPlane(plane) { base, plane in
                    for y in 0..<plane.height { for x in 0..<plane.width { cells.append(base[y * plane.stride + x]) } }
                }
            }
            return (cells, isDamaged, nil)
        } catch { return ([], false, "\(error)") }
    }

    private func isTakenAtThreeEighths(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { jpeg in
            guard let scan = JPEGScanHeader(jpeg) else { return false }
            let size = JPEGScale.threeEighths.size(of: Size(scan.width, scan.height))
            var cells = [UInt8](repeating: 0, count: size.pixels * scan.components.count)
            var decoder = ThreeEighths()
            return cells.withUnsafeMutableBufferPointer { target in
                guard let start = target.baseAddress else { return false }
                let targets = scan.components.indices.map {
                    let (across, down) = (
                        scan.components[0].across / scan.components[$0].across,
                        scan.components[0].down / scan.components[$0].down
                    )
                    return ThreeEighths.Target(
                        start: start + $0 * size.pixels, stride: size.width, width: (size.width + across - 1) / across,
                        height: (size.height + down - 1) / down)
                }
                return decoder.decode(jpeg, size: (scan.width, scan.height), into: targets)
            }
        }
    }

    private func isTaken(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { jpeg in
            guard let scan = JPEGScanHeader(jpeg) else { return false }
            var cells = [UInt8](repeating: 0, count: ((scan.width + 7) / 8) * ((scan.height + 7) / 8))
            var decoder = LumaEighth()
            return cells.withUnsafeMutableBufferPointer { target in
                guard let start = target.baseAddress else { return false }
                return decoder.decode(
                    jpeg, size: (scan.width, scan.height), into: start, stride: (scan.width + 7) / 8)
            }
        }
    }

    private func isSame(_ bytes: [UInt8], _ wanted: Wanted) -> Bool {
        outcome(bytes, wanted, own: true) == outcome(bytes, wanted, own: false)
    }

    private static func fixture(_ name: String) throws -> [UInt8] {
        try Fixture.bytes("jpeg/\(name).jpg").withBytes { Array($0) }
    }

    static let fixtures = [
        "1x1", "411", "422", "440", "444", "cmyk-adobe", "corrupt-interval", "empty", "exif-thumbnail", "grayscale",
        "grayscale-2x2", "height-zero", "no-app-segments", "no-dht-avi1", "odd-161x121", "progressive",
        "restart-markers", "soi-eoi-only", "three-dqt",
    ]

    @Test("every kind of JPEG, plain or not", arguments: fixtures, wanted)
    func kinds(_ name: String, _ wanted: Wanted) throws {
        #expect(isSame(try Self.fixture("\(name)"), wanted))
    }

    @Test("sizes up to three units both ways, of each sampling", arguments: [PixelFormat.yuv420, .yuv444, .gray8])
    func sizes(_ pixel: PixelFormat) throws {
        let pool = FramePool()
        for width in stride(from: 1, to: 49, by: 3) {
            for height in [1, 2, 3, 5, 8, 9, 15, 16, 17, 31, 33] {
                let frame = Made.frame(pixel, Size(width, height)) { ($1 * 37 + $2 * 91 + $0 * 50) & 255 }
                let jpeg = try JPEGEncoder().encode(frame, quality: 90, keepsColor: pixel == .yuv444, pool: pool)
                #expect(isSame(jpeg.withBytes { Array($0) }, Self.wanted[1]), "\(width)x\(height)")
            }
        }
    }

    @Test(
        "what is plain it takes itself",
        arguments: ["1x1", "411", "422", "440", "444", "grayscale", "grayscale-2x2", "odd-161x121", "restart-markers"])
    func takes(_ name: String) throws {
        #expect(isTaken(try Self.fixture("\(name)")))
        #expect(isTakenAtThreeEighths(try Self.fixture("\(name)")))
    }

    @Test("what is not plain it leaves alone", arguments: ["cmyk-adobe", "progressive", "corrupt-interval"])
    func leaves(_ name: String) throws {
        #expect(!isTaken(try Self.fixture("\(name)")))
    }

    @Test(
        "a JPEG cut anywhere, or with any byte changed, is the same picture, damage or error",
        arguments: ["odd-161x121", "restart-markers"], wanted)
    func damage(_ name: String, _ wanted: Wanted) throws {
        let bytes = try Self.fixture("\(name)")
        for length in stride(from: 2, to: bytes.count, by: 7) { #expect(isSame(Array(bytes[..<length]), wanted)) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= [0x01, 0x80, 0xFF, 0x10][index % 4]
            #expect(isSame(changed, wanted), "byte \(index)")
        }
    }

    @Test("of random data after a plain header nothing is read that is not there", arguments: wanted)
    func random(_ wanted: Wanted) throws {
        let bytes = try Self.fixture("444")
        let start = try bytes.withUnsafeBytes { try #require(JPEGScanHeader($0)).data }
        var state: UInt64 = 5
        for _ in 0..<300 {
            var made = Array(bytes[..<start])
            for _ in 0..<Int(state >> 54) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let byte = UInt8(truncatingIfNeeded: state >> 40)
                made += byte == 0xFF ? [0xFF, 0] : [byte]
            }
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            #expect(isSame(made + [0xFF, 0xD9], wanted))
        }
    }

    /// Every value that a symbol may have, where it fits behind its code.
    private func checkValues(_ table: HuffmanTable, _ code: Int, _ length: Int, _ symbol: UInt8) {
        let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
        let rest = HuffmanTable.width - length - size
        guard size > 0, size <= 7, rest >= 0 else { return }
        for bits in 0..<1 << size {
            let value = bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits
            for after in [0, 1 << rest - 1] {
                let entry = Int(table.valued[(code << size | bits) << rest | after])
                #expect(entry >> 8 == value && entry >> 4 & 15 == run && entry & 15 == length + size)
            }
        }
    }

    @Test("a table's codes, every one of them and several at once, are what its definition says")
    func tables() throws {
        let bytes = JPEGTables.segment
        // Behind the marker and the length: class, sixteen counts, symbols.
        var at = 4
        while at < bytes.count {
            let isAC = bytes[at] >> 4 == 1
            let total = bytes[(at + 1)..<(at + 17)].reduce(0) { $0 + Int($1) }
            let definition = Array(bytes[(at + 1)..<(at + 17 + total)])
            let table = try #require(HuffmanTable(definition, isAC: isAC))
            var (code, symbol) = (0, 0)
            for length in 1...16 {
                for _ in 0..<Int(definition[length - 1]) {
                    if length <= HuffmanTable.width {
                        let entry = table.single[code << (HuffmanTable.width - length)]
                        #expect(Int(entry) == Int(definition[16 + symbol]) << 4 | length)
                        if isAC { checkValues(table, code, length, definition[16 + symbol]) }
                    } else {
                        let long = table.long[length - HuffmanTable.width - 1]
                        #expect(long.symbol + code - long.first == symbol)
                    }
                    code += 1
                    symbol += 1
                }
                code <<= 1
            }
            at += 17 + total
        }
        #expect(HuffmanTable([UInt8](repeating: 0, count: 16), isAC: true) == nil)
        #expect(HuffmanTable([3] + [UInt8](repeating: 0, count: 15) + [1, 2, 3], isAC: true) == nil)
    }
}
