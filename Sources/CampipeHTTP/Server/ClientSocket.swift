import CNet
import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// The way to one client: a socket, plain or with TLS over it. On the server's thread only.
final class ClientSocket {
    let descriptor: Int32
    /// The other end's address, without its port.
    let peer: String
    /// The port that the client connected to.
    let port: UInt16
    /// Nil on a plain socket, and for a client that speaks no TLS where it is due.
    private var session: TLSSession?
    private let scratch: Scratch
    private var isFirstByteKnown: Bool
    /// Whether the client spoke plain HTTP where TLS is due.
    private(set) var lacksTLS = false

    /// - Parameters:
    ///   - descriptor: Owned from now on.
    ///   - scratch: Lent during calls.
    init(descriptor: Int32, peer: String, port: UInt16, session: TLSSession?, scratch: Scratch) {
        self.descriptor = descriptor
        self.peer = peer
        self.port = port
        self.session = session
        self.scratch = scratch
        isFirstByteKnown = session == nil
    }

    /// Whether what is said stays between the two.
    var isEncrypted: Bool { session != nil }

    /// Whether the client is on this machine.
    var isLocal: Bool { ClientSocket.isLocal(peer) }

    /// Reads once; `body` is lent what came.
    ///
    /// - Returns: As `recv`: how many bytes came, or -1 with `errno` set.
    func receive(_ body: (UnsafeRawBufferPointer) -> Void) -> Int {
        if !isFirstByteKnown {
            let failure = lookAtFirstByte()
            if failure <= 0 { return failure }
        }
        return unsafe scratch.withInput { buffer in
            let count =
                if let session { unsafe session.read(into: buffer) } else {
                    unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
                }
            if count > 0 { unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
    }

    /// Sends what the socket takes of a message from `offset` on.
    ///
    /// After `EAGAIN` the same is to be sent again before anything else.
    ///
    /// - Parameter file: Holds the same message, for sockets that need not change it.
    /// - Returns: As `send`: bytes taken, or -1 with `errno` set.
    func send(_ message: Outgoing, _ file: MessageFile? = nil, from offset: Int) -> Int {
        guard let session else {
            return file?.send(to: descriptor, from: offset) ?? message.send(to: descriptor, from: offset)
        }
        var position = offset
        // Record by record, until the socket takes no more: less than all means that it will ring, as plain ones do.
        while position < message.count {
            let count = unsafe scratch.withOutput { buffer in
                let count = unsafe message.copy(from: position, into: buffer)
                return unsafe session.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            if count <= 0 { return position > offset ? position - offset : count }
            position += count
        }
        return position - offset
    }

    /// Says that nothing more will be sent; what comes can still be read.
    func finishSending() {
        session?.finish()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        session?.finish()
        session = nil
        _ = Glibc.close(descriptor)
    }

    /// Tells TLS from HTTP, which begins with a letter where TLS begins with 22 (RFC 8446 section 5.1): whoever writes
    /// `http://` where it should be `https://` shall be told so.
    ///
    /// - Returns: As `recv`.
    private func lookAtFirstByte() -> Int {
        var first: UInt8 = 0
        let count = unsafe recv(descriptor, &first, 1, Int32(MSG_PEEK))
        guard count == 1 else { return count }
        isFirstByteKnown = true
        if (65...90).contains(first) {
            session = nil
            lacksTLS = true
        }
        return 1
    }

    /// Whether an address is one of this machine's loopback interface.
    static func isLocal(_ address: String) -> Bool {
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }
}

/// The two buffers through which all clients' bytes go, one after the other.
@safe final class Scratch {
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 64)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.recordBytes, alignment: 64)

    deinit {
        unsafe input.deallocate()
        unsafe output.deallocate()
    }

    func withInput<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result { unsafe body(input) }

    func withOutput<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result { unsafe body(output) }
}
