package import CampipeKit

/// What stands before each message between campipe and a child: 56 bytes, little-endian (docs/exec-protocol.md).
///
/// A value that is read from bytes of which nothing is believed: what is beyond a limit is refused before anything is
/// allocated for it.
package struct MessageHeader: Hashable, Sendable {
    /// What a message is; its number is a letter, for whoever looks at the bytes.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// To the child, first: who it is, and its options.
        case hello = 0x68  // h
        /// To the host, first: the child is ready for items.
        case ready = 0x72  // r
        /// Both ways: the format of what follows on a port.
        case format = 0x66  // f
        /// Both ways: a packet, a frame or an event.
        case item = 0x69  // i
        /// Both ways: items are missing here.
        case gap = 0x67  // g
        /// To the child: it emits what it holds.
        case drain = 0x64  // d
        /// To the child of a source: so many more items may come.
        case credit = 0x63  // c
        /// To the child: nothing more comes.
        case finish = 0x65  // e
        /// To the host: it is through with the oldest message that asks for an answer.
        case done = 0x6F  // o
        /// To the host: it failed at that message.
        case failed = 0x78  // x
        /// To the host: a line for the log.
        case log = 0x6C  // l
        /// To the host, of a source: all is well, and nothing is due for some time.
        case rest = 0x73  // s
    }

    /// Marks of an item.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A packet that decodes alone.
        package static let key = Flags(rawValue: 1)
        /// A packet that no other needs.
        package static let disposable = Flags(rawValue: 2)
        /// It came broken, or was decoded with damage.
        package static let damaged = Flags(rawValue: 4)
        /// Its data lies in the shared memory, at `place`.
        package static let shared = Flags(rawValue: 128)
    }

    package static let byteCount = 56
    /// `cpx1`.
    package static let magic: [UInt8] = [0x63, 0x70, 0x78, 0x31]
    /// The most text a message has, in bytes.
    package static let textLimit = 1 << 20
    /// The most data a message has, in bytes: a frame of 8192x5461 in `rgb24`.
    package static let dataLimit = 128 << 20
    /// Stands for a time that is not known.
    package static let noTime = Int64.min

    package var kind: Kind
    /// The input or output, by its place in the hello.
    package var port: UInt8 = 0
    package var flags: Flags = []
    /// To the child: bit n says whether anybody wants output n.
    package var wanted: UInt8 = 0
    /// How many bytes of JSON follow.
    package var textCount = 0
    /// How many bytes of data follow the text, or lie in the shared memory.
    package var dataCount = 0
    /// Where in the shared memory the data lies; of a credit, how many items more may come.
    package var place: UInt64 = 0
    /// When the light arrived, in nanoseconds of CLOCK_MONOTONIC; of what is not live, of the stream.
    package var captured = noTime
    /// Presentation time, in nanoseconds.
    package var pts = noTime
    /// Decoding time of a packet, in nanoseconds.
    package var dts = noTime
    /// How long it lasts, in nanoseconds; 0 is not known.
    package var duration: Int64 = 0

    package init(_ kind: Kind) { self.kind = kind }

    /// How many bytes follow the header in the stream.
    package var bodyCount: Int { textCount + (flags.contains(.shared) ? 0 : dataCount) }

    /// Reads a header.
    ///
    /// - Parameter bytes: `byteCount` bytes.
    /// - Throws: `.badData` when these are not the bytes of a header, or announce more than a message may have.
    package init(_ bytes: some RandomAccessCollection<UInt8>) throws(CampipeError) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else {
            throw CampipeError(
                .badData, "what it writes is no message: it begins with \(Self.shown(bytes.prefix(16)))",
                fix: "let it write on standard output nothing but messages, and what it prints on standard error")
        }
        func byte(_ offset: Int) -> UInt8 { bytes[bytes.index(bytes.startIndex, offsetBy: offset)] }
        func number(_ offset: Int, _ count: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in (0..<count).reversed() { value = value << 8 | UInt64(byte(offset + index)) }
            return value
        }
        guard let kind = Kind(rawValue: byte(4)) else {
            throw CampipeError(.badData, "it sends a message of the unknown kind \(byte(4))")
        }
        self.kind = kind
        port = byte(5)
        flags = Flags(rawValue: byte(6))
        wanted = byte(7)
        textCount = Int(number(8, 4))
        dataCount = Int(number(12, 4))
        place = number(16, 8)
        captured = Int64(bitPattern: number(24, 8))
        pts = Int64(bitPattern: number(32, 8))
        dts = Int64(bitPattern: number(40, 8))
        duration = Int64(bitPattern: number(48, 8))
        guard textCount <= Self.textLimit, dataCount <= Self.dataLimit else {
            throw CampipeError(
                .badData,
                "it announces \(textCount) bytes of text and \(dataCount) of data, more than a message may have",
                fix: "at most \(ByteCount(bytes: Self.textLimit)) and \(ByteCount(bytes: Self.dataLimit)) are taken")
        }
    }

    /// Appends the header's bytes.
    package func append(to bytes: inout [UInt8]) {
        func number(_ value: UInt64, _ count: Int) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
        }
        bytes += Self.magic
        bytes += [kind.rawValue, port, flags.rawValue, wanted]
        number(UInt64(textCount), 4)
        number(UInt64(dataCount), 4)
        number(place, 8)
        for time in [captured, pts, dts, duration] { number(UInt64(bitPattern: time), 8) }
    }

    /// The bytes as text in quotes, what cannot be shown as dots.
    private static func shown(_ bytes: some Collection<UInt8>) -> String {
        let text = bytes.map { (0x20..<0x7F).contains($0) ? Character(UnicodeScalar($0)) : "." }
        return "\"\(String(text))\""
    }
}
