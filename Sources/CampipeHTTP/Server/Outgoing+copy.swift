import CampipeKit

extension Outgoing {
    /// Copies as much as the buffer takes from `offset` on.
    ///
    /// - Returns: How many bytes were copied.
    func copy(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var skipped = offset
        var filled = 0
        for run in runs {
            if skipped >= run.count {
                skipped -= run.count
                continue
            }
            let count = min(run.count - skipped, buffer.count - filled)
            if count == 0 { break }
            unsafe run.withBytes { bytes in
                let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[skipped..<(skipped + count)])
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + count)]).copyMemory(from: part)
            }
            filled += count
            skipped = 0
        }
        return filled
    }
}
