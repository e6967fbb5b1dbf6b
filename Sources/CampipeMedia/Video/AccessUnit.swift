import CampipeKit

/// What can be told of an H.264 access unit from the heads of its NAL units (ITU-T H.264 7.3.1).
enum AccessUnit {
    /// Whether no other picture refers to this one: each slice says `nal_ref_idc` 0. Of other codings nothing is known.
    ///
    /// - Parameter format: Its parameter sets tell how units are separated: by lengths where they begin with 1 (avcC),
    ///   else by start codes.
    static func isDisposable(_ bytes: Bytes, _ format: PacketFormat) -> Bool {
        guard format.coding == .h264 else { return false }
        var lengthSize = 0
        if let sets = format.parameterSets, sets.count > 4, sets[0] == 1 { lengthSize = Int(sets[4] & 3) + 1 }
        return unsafe bytes.withBytes { bytes in
            var slices = 0
            var at = 0
            while let unit = unsafe next(bytes, &at, lengthSize) {
                guard (1...5).contains(unit & 0x1F) else { continue }
                if unit >> 5 & 3 != 0 { return false }
                slices += 1
            }
            return slices > 0
        }
    }

    /// The head of the next unit, and the place after it.
    private static func next(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, _ lengthSize: Int) -> UInt8? {
        if lengthSize > 0 {
            guard at + lengthSize < bytes.count else { return nil }
            var length = 0
            for index in 0..<lengthSize { length = unsafe length << 8 | Int(bytes[at + index]) }
            let head = unsafe bytes[at + lengthSize]
            at += lengthSize + max(1, length)
            return head
        }
        while at + 3 < bytes.count {
            if unsafe bytes[at] == 0, unsafe bytes[at + 1] == 0, unsafe bytes[at + 2] == 1 {
                at += 3
                return unsafe bytes[at]
            }
            at += 1
        }
        return nil
    }
}
