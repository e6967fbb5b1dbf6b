import CNet
import CampipeKit

/// Up to three runs of bytes that go out as one message; one such object serves all viewers of a picture.
final class Outgoing: Sendable {
    private let head: Bytes
    private let body: Bytes
    private let tail: Bytes
    let count: Int
    /// The runs in their order.
    var runs: [Bytes] { [head, body, tail] }

    init(_ head: Bytes, _ body: Bytes = .empty, _ tail: Bytes = .empty) {
        self.head = head
        self.body = body
        self.tail = tail
        count = head.count + body.count + tail.count
    }

    /// The same message with a line in front; the body's bytes are shared.
    func preceded(by line: String) -> Outgoing { Outgoing(Bytes(Array(line.utf8) + head.array), body, tail) }

    /// Sends what the socket takes from `offset` on, in one call and without a copy of ours.
    ///
    /// - Returns: As `sendmsg`: bytes taken, or -1 with `errno` set.
    func send(to descriptor: Int32, from offset: Int) -> Int {
        unsafe head.withBytes { a in
            unsafe body.withBytes { b in
                unsafe tail.withBytes { c in
                    unsafe cnet_send(
                        descriptor, a.baseAddress, a.count, b.baseAddress, b.count, c.baseAddress, c.count, offset)
                }
            }
        }
    }

    /// Copies the message into a file in memory.
    ///
    /// - Returns: Its descriptor, the caller's; -1 when there is none to be had.
    func makeFile() -> Int32 {
        unsafe head.withBytes { a in
            unsafe body.withBytes { b in
                unsafe tail.withBytes { c in
                    unsafe cnet_memory_file(a.baseAddress, a.count, b.baseAddress, b.count, c.baseAddress, c.count)
                }
            }
        }
    }
}
