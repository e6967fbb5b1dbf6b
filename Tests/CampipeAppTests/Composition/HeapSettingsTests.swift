import Glibc
import Testing

@testable import CampipeApp

#if !ASAN && !TSAN  // they bring a malloc of their own
    @Suite("The heap's settings")
    struct HeapSettingsTests {
        /// Several at once, and so large that no hole that other tests left takes them; glibc raises its threshold up to 32
        /// MiB.
        @Test("Large blocks are mapped alone, also after larger ones were freed")
        func largeBlocksAreMapped() throws {
            HeapSettings.apply()
            free(malloc(31 << 20))
            let blocks = try (0..<8).map { _ in try #require(malloc(24 << 20)) }
            #expect(blocks.filter(isMapped).count >= 4)
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
