import Glibc

/// What the calling thread had of a processor so far, as the kernel counts it.
struct ThreadUsage {
    /// In microseconds.
    var cpu = 0
    /// How often the processor was taken from it.
    var preemptions = 0
    /// How often it gave the processor up to wait for something.
    var waits = 0

    /// `RUSAGE_THREAD`, which Glibc's module lacks.
    private static let thisThread: Int32 = 1

    static var current: ThreadUsage {
        var usage = rusage()
        unsafe getrusage(thisThread, &usage)
        return ThreadUsage(
            cpu: (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
                + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec), preemptions: usage.ru_nivcsw,
            waits: usage.ru_nvcsw)
    }

    /// Whether what took a millisecond or more since `start` was the thread's own work or wait, and not that of other
    /// threads, or of other machines on the same hardware: a hypervisor takes the processor without a trace in either
    /// count.
    func isOwn(since start: ThreadUsage) -> Bool {
        cpu - start.cpu >= 1000 || (waits > start.waits && preemptions == start.preemptions)
    }
}
