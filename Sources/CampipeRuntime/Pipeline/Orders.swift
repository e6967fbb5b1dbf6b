/// What runners are told by the edits of one plan: each gets all at once, so that none runs with half of its links.
struct Orders {
    typealias Command = @Sendable (NodeRunner) -> Void
    private var places: [ObjectIdentifier: Int] = [:]
    private var orders: [(runner: NodeRunner, commands: [Command])] = []

    mutating func add(_ runner: NodeRunner, _ command: @escaping Command) {
        if let place = places[ObjectIdentifier(runner)] {
            orders[place].commands.append(command)
        } else {
            places[ObjectIdentifier(runner)] = orders.count
            orders.append((runner, [command]))
        }
    }

    /// Tells them; who is farther down first, so that nothing is offered before somebody is there.
    func give() { for order in orders.reversed() { order.runner.perform(order.commands) } }
}
