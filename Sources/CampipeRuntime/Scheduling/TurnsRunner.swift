/// A runner whose turns are one function: each wake-up runs it once more, never twice at a time.
package final class TurnsRunner: Runner, @unchecked Sendable {
    // Nothing of its own changes.
    private let body: @Sendable () -> Void

    init(executor: any RunnerExecutor, _ body: @escaping @Sendable () -> Void) {
        self.body = body
        super.init(executor: executor)
        // It may end what a lent thread belongs to.
        withhold(.max)
    }

    override func turn() -> Bool {
        body()
        return false
    }
}
