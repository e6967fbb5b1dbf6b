import CampipeKit
import Glibc

/// What of a list is new to who read it before.
struct ListPart {
    /// How far a list was read, and by what it is known to be the same that grew: a list that is written anew has another
    /// inode, or at least other bytes there.
    struct Mark: Hashable {
        var place: Int64
        /// A sum of the last bytes before that place.
        var tail: Int64
        var inode: Int64
    }

    /// Whole lines.
    let text: [UInt8]
    /// Whether it is all of the list, and what was known of it before is out of date.
    let isWhole: Bool
    let mark: Mark

    private static let tailLength: Int64 = 64

    /// - Returns: nil when there is nothing new.
    /// - Throws: What keeps it from being read, also that it is gone.
    static func read(_ path: String, since mark: Mark?) throws(CampipeError) -> ListPart? {
        let attempted = "cannot read \(path)"
        let descriptor = try FileCall.checked(attempted) { unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        defer { close(descriptor) }
        var status = stat()
        try FileCall.checked(attempted) { unsafe fstat(descriptor, &status) }
        let inode = Int64(truncatingIfNeeded: status.st_ino)
        var start: Int64 = 0
        if let mark, mark.inode == inode, Int64(status.st_size) >= mark.place,
            try tail(of: descriptor, before: mark.place, attempted) == mark.tail
        {
            start = mark.place
        }
        if start > 0, start == Int64(status.st_size) { return nil }
        let read = try bytes(of: descriptor, from: start, to: Int64(status.st_size), attempted)
        let end = read.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        if start > 0, end == 0 { return nil }
        let place = start + Int64(end)
        return ListPart(
            text: Array(read[..<end]), isWhole: start == 0,
            mark: Mark(place: place, tail: try tail(of: descriptor, before: place, attempted), inode: inode))
    }

    private static func tail(of descriptor: Int32, before place: Int64, _ attempted: String) throws(CampipeError)
        -> Int64
    {
        let bytes = try bytes(of: descriptor, from: max(0, place - tailLength), to: place, attempted)
        return bytes.reduce(0) { ($0 &* 31) &+ Int64($1) }
    }

    private static func bytes(
        of descriptor: Int32, from start: Int64, to end: Int64, _ attempted: String
    ) throws(CampipeError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(max(0, end - start)))
        var count = 0
        while count < bytes.count {
            let read = try FileCall.checked(attempted) {
                unsafe bytes.withUnsafeMutableBytes { buffer in
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                    return unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(start) + off_t(count))
                }
            }
            if read == 0 { break }
            count += read
        }
        return Array(bytes[..<count])
    }
}
