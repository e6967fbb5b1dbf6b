#if TSAN
    import Glibc
#else
    public import Synchronization
#endif

/// The one lock of campipe, for small shared state. Never hold it across a call that may block or call back.
///
/// The thread sanitizer does not see `Synchronization.Mutex` (it reports false races), so under `-D TSAN` this is a
/// pthread mutex, which it sees.
public final class Lock<Value: ~Copyable>: Sendable {
    #if TSAN
        @safe private final class Storage {
            let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            var value: Value
            init(_ value: consuming Value) {
                self.value = value
                unsafe pthread_mutex_init(mutex, nil)
            }
            deinit {
                unsafe pthread_mutex_destroy(mutex)
                unsafe mutex.deallocate()
            }
        }
        // Touched only under the mutex.
        private nonisolated(unsafe) let storage: Storage

        public init(_ value: consuming sending Value) { unsafe storage = Storage(value) }

        /// Calls `body` with the value while nobody else has it. Not to be nested, and nothing that waits belongs
        /// inside.
        public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            unsafe pthread_mutex_lock(storage.mutex)
            defer { unsafe pthread_mutex_unlock(storage.mutex) }
            return try unsafe body(&storage.value)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        public init(_ value: consuming sending Value) { mutex = Mutex(value) }

        /// Calls `body` with the value while nobody else has it. Not to be nested, and nothing that waits belongs
        /// inside.
        @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}
