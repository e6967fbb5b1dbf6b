import CCurl
import CNet
package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// Fetches any number of URLs on one thread: libcurl's multi interface over the event loop.
///
/// One serves the whole process: 64 cameras need no 64 threads. It lives until `stop`.
@safe package final class HTTPFetcher: @unchecked Sendable {
    // Unchecked: all but the loop and the counter is touched only on the loop's thread.
    private let loop: EventLoop
    private let nextID = Lock(0)

    private let multi: UnsafeMutableRawPointer
    private let timer: Int32
    private var transfers: [Int: CurlEasyHandle] = [:]
    private var identities: [UnsafeMutableRawPointer: Int] = unsafe [:]
    private var sockets: Set<Int32> = []
    private var isStopped = false
    private let noted = Lock<Set<String>>([])
    /// What is read from cameras, one connection a URL.
    let sessions = CameraSessions()

    /// libcurl's own set-up, once a process.
    static let isReady = ccurl_global_init() == CURLE_OK

    /// - Throws: `.exhausted`.
    package init() throws(CampipeError) {
        guard HTTPFetcher.isReady, let multi = unsafe curl_multi_init() else {
            throw CampipeError(.exhausted, "cannot start the HTTP client: no memory")
        }
        let timer = cnet_timerfd_make()
        let loop: EventLoop
        do throws(CampipeError) {
            guard timer >= 0 else {
                throw .system("cannot start the HTTP client", errno: errno, kind: .exhausted)
            }
            loop = try EventLoop(name: "http-client")
        } catch {
            unsafe curl_multi_cleanup(multi)
            if timer >= 0 { close(timer) }
            throw error
        }
        unsafe self.multi = multi
        self.timer = timer
        self.loop = loop
        let own = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_multi_set_callbacks(
            multi,
            { _, descriptor, what, own, _ in
                unsafe HTTPFetcher.from(own).watch(descriptor, what)
                return 0
            },
            { _, milliseconds, own in
                let fetcher = unsafe HTTPFetcher.from(own)
                return cnet_timerfd_set(fetcher.timer, milliseconds) == 0 ? 0 : -1
            }, own)
        loop.execute {
            let hand = ReadyHandler { [unowned self] _ in
                cnet_drain(timer)
                act(Int32(CURL_SOCKET_TIMEOUT), 0)
            }
            do {
                try loop.watch(timer, cnet_readable, hand)
            } catch {
                self.isStopped = true  // without a timer nothing could ever time out: every transfer is refused
            }
        }
    }

    deinit {
        unsafe curl_multi_cleanup(multi)
        close(timer)
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> HTTPFetcher {
        guard let pointer = unsafe pointer else { fatalError("curl called back without its argument") }
        return unsafe Unmanaged<HTTPFetcher>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Makes a transfer that tells `handler` all that happens, on the fetcher's thread, once it was started.
    package func transfer(_ request: FetchRequest, handler: any TransferHandler) -> Transfer {
        let id = nextID.withLock { next in
            next += 1
            return next
        }
        return Transfer(
            start: { self.loop.execute { self.begin(id, request, handler) } },
            resume: { self.loop.execute { self.resume(id) } },
            cancel: { self.loop.execute { self.cancel(id) } })
    }

    /// Whether this is asked for the first time: for what is said once a process, however often a node is made anew.
    package func isFirst(_ note: String) -> Bool { noted.withLock { $0.insert(note).inserted } }

    /// Runs `work` on the fetcher's thread.
    func onLoop(_ work: @escaping @Sendable () -> Void) { loop.execute(work) }

    /// Cancels all transfers and ends the thread; returns when that is done. Not from a handler.
    package func stop() {
        loop.execute {
            self.isStopped = true
            for id in Array(self.transfers.keys) { self.cancel(id) }
            self.loop.forget(self.timer)
        }
        loop.stop()
    }

    // MARK: On the loop's thread

    private func begin(_ id: Int, _ request: FetchRequest, _ handler: any TransferHandler) {
        guard !isStopped else {
            handler.transferEnded(.cancelled)
            return
        }
        guard transfers[id] == nil else { return }
        let easy: CurlEasyHandle
        do throws(CampipeError) {
            easy = try CurlEasyHandle(request, handler: handler)
        } catch {
            handler.transferEnded(.failed(error))
            return
        }
        transfers[id] = easy
        let code = unsafe easy.withHandle { handle in
            unsafe identities[handle] = id
            return unsafe curl_multi_add_handle(multi, handle)
        }
        guard code == CURLM_OK else {
            remove(id)
            handler.transferEnded(.failed(CampipeError(.exhausted, "cannot begin an HTTP transfer")))
            return
        }
    }

    private func resume(_ id: Int) {
        guard let easy = transfers[id] else { return }
        easy.resume()
        settle()
    }

    private func cancel(_ id: Int) {
        guard let easy = transfers[id] else { return }
        remove(id)
        easy.cancel()
    }

    private func remove(_ id: Int) {
        guard let easy = transfers.removeValue(forKey: id) else { return }
        unsafe easy.withHandle { handle in
            unsafe identities[handle] = nil
            unsafe curl_multi_remove_handle(multi, handle)
        }
    }

    /// What curl asks to be told of a socket.
    private func watch(_ descriptor: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            if sockets.remove(descriptor) != nil { loop.forget(descriptor) }
            return
        }
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= cnet_readable }
        if what & CURL_POLL_OUT != 0 { events |= cnet_writable }
        if sockets.contains(descriptor) {
            loop.change(descriptor, events)
            return
        }
        let handler = ReadyHandler { [unowned self] events in
            var mask: Int32 = 0
            if events & cnet_readable != 0 { mask |= CURL_CSELECT_IN }
            if events & cnet_writable != 0 { mask |= CURL_CSELECT_OUT }
            if events & cnet_hung_up != 0 { mask |= CURL_CSELECT_IN | CURL_CSELECT_ERR }
            act(descriptor, mask)
        }
        do {
            try loop.watch(descriptor, events, handler)
            sockets.insert(descriptor)
        } catch {
            // Without descriptors to watch with, curl's own time-outs end the transfer.
        }
    }

    private func act(_ descriptor: Int32, _ events: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, descriptor, events, &running)
        settle()
    }

    /// Ends what is over, now that curl is not on the stack.
    private func settle() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle,
                let id = unsafe identities[handle], let easy = transfers[id]
            else { continue }
            let code = unsafe ccurl_message_result(message)
            unsafe easy.withHandle { _ = unsafe curl_multi_remove_handle(multi, $0) }
            unsafe identities[handle] = nil
            transfers[id] = nil
            easy.end(code)
        }
    }
}

/// One transfer; letting it go does not end it. All may be called from any thread.
package final class Transfer: Sendable {
    private let onStart: @Sendable () -> Void
    private let onResume: @Sendable () -> Void
    private let onCancel: @Sendable () -> Void

    init(
        start: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void,
        cancel: @escaping @Sendable () -> Void
    ) {
        onStart = start
        onResume = resume
        onCancel = cancel
    }

    /// Begins; once.
    package func start() { onStart() }

    /// Reads on after a pause.
    package func resume() { onResume() }

    /// Ends it; the handler is told `cancelled`, unless it has ended already or was never started.
    package func cancel() { onCancel() }
}

/// An event handler made of a closure.
final class ReadyHandler: EventHandler {
    private let onReady: (UInt32) -> Void
    init(_ onReady: @escaping (UInt32) -> Void) { self.onReady = onReady }
    func ready(_ events: UInt32) { onReady(events) }
}
