import CNet
package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// Who is told that a descriptor is ready; called on the loop's thread.
protocol EventHandler: AnyObject {
    /// - Parameter events: epoll's bits.
    func ready(_ events: UInt32)
}

/// One thread that waits for any number of descriptors (epoll) and for work given to it.
///
/// `execute` and `stop` may be called from any thread, all else only on the loop's own. What runs on it must not block.
package final class EventLoop: @unchecked Sendable {
    // Unchecked: `handlers` and `generation` are touched only on the loop's thread; the rest is constant or under a
    // lock.
    private struct Inbox {
        var work: [@Sendable () -> Void] = []
        var isStopped = false
        var isRung = false
        var thread: pthread_t?
    }
    private struct Watched {
        var handler: any EventHandler
        var generation: UInt32
    }

    private let epoll: Int32
    private let bell: Int32
    private let inbox = Lock(Inbox())
    private var handlers: [Watched?] = []
    private var generation: UInt32 = 0

    /// Starts the thread.
    ///
    /// - Parameter name: At most 15 characters, shown by `top -H`.
    /// - Throws: `.exhausted` when there are no descriptors or no threads.
    package init(name: String) throws(CampipeError) {
        epoll = cnet_epoll_make()
        bell = cnet_eventfd_make()
        guard epoll >= 0, bell >= 0, cnet_epoll_add(epoll, bell, cnet_readable, UInt64(UInt32.max)) == 0 else {
            throw .system("cannot make an event loop", errno: errno, kind: .exhausted)
        }
        let thread = try NamedThread.spawn(name) { self.run() }
        inbox.withLock { $0.thread = thread }
    }

    deinit {
        close(epoll)
        close(bell)
    }

    /// Runs `work` on the loop's thread, in the order of the calls; not at all once the loop was stopped.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        let mustRing = inbox.withLock { inbox -> Bool in
            if inbox.isStopped { return false }
            inbox.work.append(work)
            defer { inbox.isRung = true }
            return !inbox.isRung
        }
        if mustRing { cnet_ring(bell) }
    }

    /// Runs what was given so far, then ends the thread and waits for it. Call it from another thread.
    package func stop() {
        let thread = inbox.withLock { inbox -> pthread_t? in
            inbox.isStopped = true
            defer { inbox.thread = nil }
            return inbox.thread
        }
        guard let thread else { return }
        cnet_ring(bell)
        pthread_join(thread, nil)
    }

    // MARK: On the loop's thread

    /// Tells `handler` of `events` on `descriptor` until `forget`.
    func watch(_ descriptor: Int32, _ events: UInt32, _ handler: any EventHandler) throws(CampipeError) {
        generation &+= 1
        if generation == 0 { generation = 1 }
        guard cnet_epoll_add(epoll, descriptor, events, key(descriptor)) == 0 else {
            throw .system("cannot watch a descriptor", errno: errno, kind: .exhausted)
        }
        while handlers.count <= Int(descriptor) { handlers.append(nil) }
        handlers[Int(descriptor)] = Watched(handler: handler, generation: generation)
    }

    /// Changes which events are told.
    func change(_ descriptor: Int32, _ events: UInt32) {
        guard let watched = watched(descriptor) else { return }
        _ = cnet_epoll_change(epoll, descriptor, events, UInt64(watched.generation) << 32 | UInt64(descriptor))
    }

    /// Tells nothing more of `descriptor`; call it before the descriptor is closed.
    func forget(_ descriptor: Int32) {
        guard watched(descriptor) != nil else { return }
        handlers[Int(descriptor)] = nil
        _ = cnet_epoll_remove(epoll, descriptor)
    }

    private func key(_ descriptor: Int32) -> UInt64 { UInt64(generation) << 32 | UInt64(descriptor) }

    private func watched(_ descriptor: Int32) -> Watched? {
        descriptor >= 0 && Int(descriptor) < handlers.count ? handlers[Int(descriptor)] : nil
    }

    private func run() {
        let capacity = 64
        let batch = UnsafeMutablePointer<cnet_event>.allocate(capacity: capacity)
        defer { unsafe batch.deallocate() }
        while true {
            let count = unsafe cnet_epoll_wait(epoll, batch, Int32(capacity))
            var isRung = false
            for index in 0..<max(Int(count), 0) {
                let event = unsafe batch[index]
                // An event of a descriptor closed within this batch has an old generation.
                let descriptor = Int32(truncatingIfNeeded: event.key & 0xFFFF_FFFF)
                if descriptor == -1 { isRung = true }
                guard let watched = watched(descriptor), watched.generation == UInt32(event.key >> 32) else { continue }
                watched.handler.ready(event.events)
            }
            if isRung, !runInbox() { return }
        }
    }

    /// - Returns: Whether the loop goes on.
    private func runInbox() -> Bool {
        cnet_drain(bell)  // before the work is taken, so that no ring is lost
        let (work, isStopped) = inbox.withLock { inbox in
            defer {
                inbox.work = []
                inbox.isRung = false
            }
            return (inbox.work, inbox.isStopped)
        }
        for one in work { one() }
        if isStopped { handlers = [] }
        return !isStopped
    }
}
