/// The order of a graph's nodes, upstream first, and its cycles.
///
/// A pure value over indices, without recursion: a chain of ten thousand nodes must not overflow a stack.
struct GraphOrder {
    /// All nodes, each after what feeds it; nodes of a cycle stand where the cycle was cut.
    private(set) var order: [Int] = []
    /// Each cycle as the nodes along it, in the direction of the items.
    private(set) var cycles: [[Int]] = []

    /// - Parameter feeds: For each node the nodes that it takes items from.
    init(feeds: [[Int]]) {
        var consumers = [[Int]](repeating: [], count: feeds.count)
        var waiting = [Int](repeating: 0, count: feeds.count)
        for (node, sources) in feeds.enumerated() {
            waiting[node] = sources.count
            for source in sources { consumers[source].append(node) }
        }
        var done = [Bool](repeating: false, count: feeds.count)
        var ready = feeds.indices.filter { waiting[$0] == 0 }
        var next = 0
        while order.count < feeds.count {
            while let node = ready.popLast() {
                if done[node] { continue }
                done[node] = true
                order.append(node)
                for consumer in consumers[node] {
                    waiting[consumer] -= 1
                    if waiting[consumer] == 0 { ready.append(consumer) }
                }
            }
            while next < feeds.count, done[next] { next += 1 }
            guard next < feeds.count else { break }
            let cycle = Self.cycle(from: next, feeds: feeds, done: done)
            cycles.append(cycle)
            // Cut it: its nodes count as fed, so that the rest finds its order.
            ready.append(contentsOf: cycle)
        }
    }

    /// Follows feeders that are not done until one comes twice.
    private static func cycle(from start: Int, feeds: [[Int]], done: [Bool]) -> [Int] {
        var path: [Int] = []
        var position: [Int: Int] = [:]
        var node = start
        while position[node] == nil {
            position[node] = path.count
            path.append(node)
            guard let feeder = feeds[node].first(where: { !done[$0] }) else { return path }
            node = feeder
        }
        return path[position[node, default: 0]...].reversed()
    }
}
