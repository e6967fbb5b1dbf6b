import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Luma at an eighth is what TurboJPEG makes of it")
struct LumaEighthTests {
    /// The picture, whether it is damaged, or the kind of error.
    private func outcome(_ bytes: [UInt8], own: Bool) -> (cells: [UInt8], isDamaged: Bool, error: String?) {
        let decoder = JPEGDecoder(pixelLimit: 1_000_000)
        decoder.readsEighths = own
        do {
            let (pixels, isDamaged) = try decoder.decode(
                Bytes(bytes), scale: .eighth, lumaOnly: true, pool: FramePool())
            var cells: [UInt8] = []
            pixels.withPlane(0) { base, plane in
                for y in 0..<plane.height { for x in 0..<plane.width { cells.append(base[y * plane.stride + x]) } }
            }
            return (cells, isDamaged, nil)
        } catch { return ([], false, "\(error)") }
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

    private func isSame(_ bytes: [UInt8]) -> Bool { outcome(bytes, own: true) == outcome(bytes, own: false) }

    private static func fixture(_ name: String) throws -> [UInt8] {
        try Fixture.bytes("jpeg/\(name).jpg").withBytes { Array($0) }
    }

    static let fixtures = [
        "1x1", "411", "422", "440", "444", "cmyk-adobe", "corrupt-interval", "empty", "exif-thumbnail", "grayscale",
        "grayscale-2x2", "height-zero", "no-app-segments", "no-dht-avi1", "odd-161x121", "progressive",
        "restart-markers", "soi-eoi-only", "three-dqt",
    ]

    @Test("every kind of JPEG, plain or not", arguments: fixtures)
    func kinds(_ name: String) throws {
        #expect(isSame(try Self.fixture("\(name)")))
    }

    @Test(
        "what is plain it takes itself",
        arguments: ["1x1", "411", "422", "440", "444", "grayscale", "grayscale-2x2", "odd-161x121", "restart-markers"])
    func takes(_ name: String) throws {
        #expect(isTaken(try Self.fixture("\(name)")))
    }

    @Test("what is not plain it leaves alone", arguments: ["cmyk-adobe", "progressive", "corrupt-interval"])
    func leaves(_ name: String) throws {
        #expect(!isTaken(try Self.fixture("\(name)")))
    }

    @Test(
        "a JPEG cut anywhere, or with any byte changed, is the same picture, damage or error",
        arguments: ["odd-161x121", "restart-markers"])
    func damage(_ name: String) throws {
        let bytes = try Self.fixture("\(name)")
        for length in stride(from: 2, to: bytes.count, by: 7) { #expect(isSame(Array(bytes[..<length]))) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= [0x01, 0x80, 0xFF, 0x10][index % 4]
            #expect(isSame(changed), "byte \(index)")
        }
    }

    @Test("of random data after a plain header nothing is read that is not there")
    func random() throws {
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
            #expect(isSame(made + [0xFF, 0xD9]))
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
