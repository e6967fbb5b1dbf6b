import CNet
#if canImport(Glibc)
    import Glibc
#endif

/// A message in memory that the kernel sends from: it is copied once, and not once for each client (`memfd_create(2)`,
/// `sendfile(2)`). The kernel keeps what is on its way after the file is gone.
final class MessageFile: Sendable {
    private let descriptor: Int32
    private let count: Int

    /// - Returns: nil when the system has no such file to give; the message is sent from its bytes then.
    init?(_ message: Outgoing) {
        descriptor = message.makeFile()
        count = message.count
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends what the socket takes from `offset` on.
    ///
    /// - Returns: As `send`: bytes taken, or -1 with `errno` set.
    func send(to socket: Int32, from offset: Int) -> Int { cnet_send_file(socket, descriptor, offset, count - offset) }
}
