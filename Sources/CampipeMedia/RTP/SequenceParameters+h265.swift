/// What stands in a sequence parameter set of H.265 between the order of pictures and the usability information
/// (ITU-T H.265 7.3.2.2.1); nothing of it is kept.
extension SequenceParameters {
    /// - Parameter countBits: `log2_max_pic_order_cnt_lsb`.
    /// - Returns: Whether there is usability information, which is next.
    static func skipToUsability(_ bits: inout BitReader, countBits: UInt32) -> Bool {
        // The sizes of blocks.
        for _ in 0..<6 { _ = bits.code() }
        if bits.bit(), bits.bit() { skipScalingLists(&bits) }
        bits.skip(2)
        if bits.bit() {
            bits.skip(8)
            _ = (bits.code(), bits.code())
            bits.skip(1)
        }
        guard skipReferences(&bits) else { return false }
        if bits.bit() {
            let count = bits.code()
            guard count <= 32, countBits <= 16 else { return false }
            bits.skip(Int(count) * (Int(countBits) + 1))
        }
        bits.skip(2)
        return bits.bit() && !bits.isOverrun
    }

    /// `scaling_list_data` (7.3.4).
    private static func skipScalingLists(_ bits: inout BitReader) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                guard bits.bit() else {
                    _ = bits.code()
                    continue
                }
                let count = min(64, 1 << (4 + size << 1)) + (size > 1 ? 1 : 0)
                for _ in 0..<count { _ = bits.signedCode() }
            }
        }
    }

    /// The sets of short-term references (7.3.7); one may be told by the difference to the one before.
    ///
    /// - Returns: False when there are more than there may be.
    private static func skipReferences(_ bits: inout BitReader) -> Bool {
        let count = bits.code()
        guard count <= 64 else { return false }
        var entries = 0
        for index in 0..<count {
            if index > 0, bits.bit() {
                bits.skip(1)
                _ = bits.code()
                var kept = 0
                // Used, or at least told of.
                for _ in 0...entries where bits.bit() || bits.bit() { kept += 1 }
                entries = kept
            } else {
                let (before, after) = (bits.code(), bits.code())
                guard before <= 16, after <= 16 else { return false }
                entries = Int(before + after)
                for _ in 0..<entries {
                    _ = bits.code()
                    bits.skip(1)
                }
            }
            guard entries <= 32, !bits.isOverrun else { return false }
        }
        return true
    }
}
