import CampipeKit
import Testing

@Suite("Bytes")
struct BytesTests {
    @Test("what the filling leaves out is zero, and a filling that fails leaves nothing")
    func fills() throws {
        let bytes = Bytes(count: 4) { $0[1] = 7 }
        #expect(bytes.array == [0, 7, 0, 0] && bytes.count == 4 && bytes[1] == 7)
        #expect(throws: CampipeError.self) {
            try Bytes(count: 4) { _ in throw CampipeError(.badData, "cut") }
        }
        #expect(Bytes.empty.array == [] && Bytes(count: 0) { _ in }.count == 0)
    }

    @Test("equal bytes are equal, whoever owns them")
    func equality() {
        let bytes = Bytes([1, 2, 3])
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
        memory.copyBytes(from: [1, 2, 3])
        let address = Int(bitPattern: memory.baseAddress)
        let foreign = Bytes(foreign: UnsafeRawBufferPointer(memory)) {
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
        #expect(bytes == foreign && bytes.hashValue == foreign.hashValue)
        #expect(bytes != Bytes([1, 2, 4]) && bytes != Bytes([1, 2]))
    }

    @Test("foreign bytes are released once, with the last reference")
    func releases() {
        let released = Lock(0)
        let memory: StaticString = "jpeg"
        var first: Bytes? = Bytes(
            foreign: UnsafeRawBufferPointer(start: memory.utf8Start, count: 4),
            release: { released.withLock { $0 += 1 } })
        var second = first
        #expect(second?.array == Array("jpeg".utf8))
        first = nil
        #expect(released.withLock { $0 } == 0)
        second = nil
        #expect(released.withLock { $0 } == 1)
        _ = Bytes(foreign: UnsafeRawBufferPointer(start: nil, count: 0), release: {}).array
    }
}
