import Glibc
import Testing

@testable import CampipeRuntime

@Suite struct ThreadUsageTests {
    @Test(
        "A turn that took a millisecond is a node's own, but where another thread or machine had the processor",
        arguments: [
            // It waited; it worked; it worked and was preempted; it was preempted alone; nothing of all that.
            (20, 0, 1, true), (5000, 0, 0, true), (5000, 2, 0, true), (20, 1, 0, false), (20, 0, 0, false),
        ])
    func own(_ cpu: Int, _ preemptions: Int, _ waits: Int, _ isOwn: Bool) {
        let start = ThreadUsage(cpu: 1_000_000, preemptions: 10, waits: 5)
        let end = ThreadUsage(cpu: 1_000_000 + cpu, preemptions: 10 + preemptions, waits: 5 + waits)
        #expect(end.isOwn(since: start) == isOwn)
    }

    @Test("The kernel counts the calling thread's CPU")
    func current() {
        let start = ThreadUsage.current
        while ThreadUsage.current.cpu - start.cpu < 2000 {}
        #expect(ThreadUsage.current.isOwn(since: start))
        #expect(ThreadUsage.current.preemptions >= start.preemptions)
    }
}
