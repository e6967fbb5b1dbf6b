import Glibc
import Testing

@testable import CampipeApp

#if !ASAN && !TSAN  // they bring a malloc of their own
    @Suite("The heap's settings")
    struct HeapSettingsTests {
        @Test("A large block goes back to the system each time, also after larger ones were freed")
        func largeBlocksStayMapped() throws {
            HeapSettings.apply()
            for size in [HeapSettings.mappedFrom * 8, HeapSettings.mappedFrom * 2, HeapSettings.mappedFrom] {
                for _ in 0..<3 {
                    let block = try #require(malloc(size))
                    #expect(isMapped(block), "\(size) bytes")
                    free(block)
                }
            }
        }

        @Test("A picture's bytes are not mapped one by one")
        func smallBlocksAreNot() throws {
            HeapSettings.apply()
            let block = try #require(malloc(HeapSettings.mappedFrom / 2))
            #expect(!isMapped(block))
            free(block)
        }

        /// glibc notes it in the second bit of the size in front of the block (malloc.c, `IS_MMAPPED`).
        private func isMapped(_ block: UnsafeMutableRawPointer) -> Bool {
            (block - MemoryLayout<Int>.size).load(as: Int.self) & 2 != 0
        }
    }
#endif
