import Foundation
import Glibc

/// A listening socket of a test's server on 127.0.0.1, and the thread that waits on it.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// - Parameters:
    ///   - wanted: 0 takes any that is free.
    ///   - receiveBuffer: Of each connection, in bytes; nil leaves it to the system.
    init(port wanted: UInt16 = 0, receiveBuffer: Int32? = nil) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptor = listener
        var one: Int32 = 1
        if wanted != 0 { setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size)) }
        if var size = receiveBuffer {
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = wanted.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileReadUnknown) }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Hands each connection to `take`, on a thread of its own, until that says no; call it once.
    func accept(_ take: @escaping @Sendable (_ client: Int32) -> Bool) {
        Thread.detachNewThread { [descriptor] in
            // Closed by who waits on it: else another test's socket may have its number by then, and lose a connection.
            defer { close(descriptor) }
            while true {
                let client = Glibc.accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                // A program that another test starts must not hold it open.
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                guard take(client) else {
                    close(client)
                    return
                }
            }
        }
    }

    /// Takes no more connections.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
