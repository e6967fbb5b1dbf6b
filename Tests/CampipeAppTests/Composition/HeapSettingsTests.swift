import Glibc
import Testing

@testable import CampipeApp

#if !ASAN && !TSAN  // they bring a malloc of their own
    @Suite("The heap's settings")
    struct HeapSettingsTests {
        /// Many at once, since a few may fill holes that other tests left.
        @Test("Large blocks are mapped alone, also after larger ones were freed")
        func largeBlocksAreMapped() throws {
            HeapSettings.apply()
            free(malloc(HeapSettings.mappedFrom * 24))
            let blocks = try (0..<64).map { _ in try #require(malloc(HeapSettings.mappedFrom * 2)) }
            #expect(blocks.filter(isMapped).count > 32)
            for block in blocks { free(block) }
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
