import CNet
package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// Threads of our own, for what blocks or waits.
package enum NamedThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a detached thread of its own, named for debuggers by at most 15 bytes, with SIGPIPE kept from it.
    ///
    /// - Throws: `.exhausted` when there can be no more threads.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(CampipeError) {
        pthread_detach(try spawn(name, body))
    }

    /// As `start`, for who joins the thread.
    static func spawn(_ name: String, _ body: @escaping @Sendable () -> Void) throws(CampipeError) -> pthread_t {
        let box = unsafe Unmanaged.passRetained(Start(name, body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                unsafe cnet_begin_thread(start.name)
                start.body()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            throw .system("cannot start a thread", errno: code, kind: .exhausted)
        }
        return thread
    }
}
