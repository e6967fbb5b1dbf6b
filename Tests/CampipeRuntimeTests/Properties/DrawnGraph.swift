import CampipeKit

@testable import CampipeRuntime

/// A graph drawn by a seed: sources live and not, transforms that hold, filter, multiply, fail and take their time,
/// joins with sides, `when`, sinks that pause, all policies with small limits, fan-out everywhere.
struct DrawnGraph: CustomStringConvertible {
    private(set) var nodes: [NodeDescription] = []
    private var random: SplitMix
    /// Outputs of packets and of events, and whether what they carry is live.
    private var packets: [(from: PortReference, isLive: Bool)] = []
    private var events: [(from: PortReference, isLive: Bool)] = []
    private let onlyLive: Bool?
    private let isMixed: Bool

    /// - Parameters:
    ///   - onlyLive: Whether all sources are live or none is; nil draws it.
    ///   - isMixed: Whether there are both, and each `when` looks at any events.
    init(seed: UInt64, onlyLive: Bool? = nil, isMixed: Bool = false) {
        random = SplitMix(seed: seed)
        self.onlyLive = onlyLive
        self.isMixed = isMixed
        let liveShare = chance(50) ? 0 : chance(50) ? 100 : 50
        for index in 0..<number(isMixed ? 2...3 : 1...3) { addSource(index, liveShare) }
        for index in 0..<number(0...6) { chance(60) ? addTransform(index) : addJoin(index) }
        for index in 0..<number(1...4) { addSink(index) }
    }

    subscript(id: String) -> NodeDescription? { nodes.first { $0.id == id } }

    var description: String {
        nodes.map { node in
            let options = node.options.entries.map { entry -> String in
                if case .scalar(let scalar) = entry.value { "\(entry.key): \(scalar.text)" } else { entry.key }
            }
            let inputs = node.inputs.map { input in
                let link = input.link
                let limits = link.isDefault ? "" : " (\(link.whenFull?.rawValue ?? "-") \(link.maxItems ?? -1))"
                return "\(input.port): \(input.from.map(\.description).joined(separator: "+"))\(limits)"
            }
            let when = node.when.map { "when: \($0.event)" }
            return "\(node.id) {\((inputs + when + options).joined(separator: ", "))}"
        }.joined(separator: "\n")
    }

    // MARK: Nodes

    private mutating func addSource(_ index: Int, _ liveShare: Int) {
        let isLive = isMixed && index < 2 ? index == 0 : onlyLive ?? chance(liveShare)
        var options = ["count": "\(number(5...40))", "interval": "\(number(1...9) * 1000)", "live": "\(isLive)"]
        if chance(40) {
            options["coding"] = "h264"
            options["group"] = "\(number(2...9))"
        }
        let id = "s\(index)"
        nodes.append(
            NodeDescription(
                id: id, registration: DrawnNodes.source, options: Value.ValueMap(options), reconnects: false))
        packets.append((PortReference(id), isLive))
    }

    private mutating func addTransform(_ index: Int) {
        var options: [String: String] = [:]
        switch number(0...5) {
        case 0: options["hold"] = "\(number(1...5))"
        case 1: options["keep"] = "\(number(2...4))"
        case 2:
            options["copies"] = "\(number(2...4))"
            // So that copies of copies keep their order.
            options["spread"] = "\([15625, 3125, 625, 125, 25, 5, 1][index])"
        case 3: options["work"] = "\(number(1...20) * 500)"
        case 4:
            options["hold"] = "\(number(1...3))"
            options["keep"] = "2"
        default: break
        }
        if chance(60) { options["event_every"] = "\(number(1...6))" }
        var onError = OnError.restart
        if chance(10) {
            options["fail_every"] = "\(number(3...20))"
            if chance(60) { onError = .skip }
        }
        let id = "t\(index)"
        let from = pick(packets)
        let when = drawWhen(isLive: from.isLive)
        nodes.append(
            NodeDescription(
                id: id, registration: DrawnNodes.transform, options: Value.ValueMap(options),
                inputs: [InputDescription(from: [from.from], link: drawLink(from.isLive))], when: when.clauses,
                onError: onError))
        let isLive = from.isLive || when.isLive
        packets.append((PortReference(id), isLive))
        events.append((PortReference(id, "events"), isLive))
    }

    private mutating func addJoin(_ index: Int) {
        let id = "j\(index)"
        let primary = pick(packets)
        var isLive = primary.isLive
        var inputs = [InputDescription(from: [primary.from], link: drawLink(primary.isLive))]
        for port in ["side", "other"] where port == "side" || chance(40) {
            let side = pick(packets)
            isLive = isLive || side.isLive
            inputs.append(InputDescription(port, from: [side.from], link: drawLink(side.isLive)))
        }
        if !events.isEmpty, chance(50) {
            let side = pick(events)
            isLive = isLive || side.isLive
            inputs.append(InputDescription("events", from: [side.from], link: drawLink(side.isLive)))
        }
        let when = drawWhen(isLive: primary.isLive)
        nodes.append(
            NodeDescription(id: id, registration: DrawnNodes.join, inputs: inputs, when: when.clauses))
        packets.append((PortReference(id), isLive || when.isLive))
    }

    private mutating func addSink(_ index: Int) {
        let id = "k\(index)"
        if !events.isEmpty, chance(20) {
            let from = pick(events)
            nodes.append(
                NodeDescription(
                    id: id, registration: DrawnNodes.eventSink,
                    inputs: [InputDescription(from: [from.from], link: drawLink(from.isLive))]))
            return
        }
        let from = pick(packets)
        let input = InputDescription(from: [from.from], link: drawLink(from.isLive))
        let when = drawWhen(isLive: from.isLive)
        if !when.clauses.isEmpty, chance(50) {
            nodes.append(
                NodeDescription(id: id, registration: DrawnNodes.historySink, inputs: [input], when: when.clauses))
            return
        }
        if chance(10) {
            nodes.append(NodeDescription(id: id, registration: DrawnNodes.threadSink, inputs: [input]))
            return
        }
        var options = ["pause": "\(number(1...30) * 500)"]
        switch number(0...9) {
        case 0...1: options["wait_every"] = "\(number(1...5))"
        case 2...3: options["until_every"] = "\(number(1...5))"
        case 4: options["limit"] = "\(number(1...8))"
        case 5: options["rate"] = "30"
        default: break
        }
        nodes.append(
            NodeDescription(
                id: id, registration: DrawnNodes.sink, options: Value.ValueMap(options), inputs: [input],
                when: when.clauses, lateAfter: chance(20) ? .milliseconds(number(1...40)) : nil))
    }

    // MARK: Drawing

    private mutating func drawWhen(isLive: Bool) -> (clauses: [WhenClause], isLive: Bool) {
        // The events of a gate make nobody live: what is not live waits for them.
        let fitting = events.filter { isMixed || $0.isLive == isLive }
        guard !fitting.isEmpty, chance(25) else { return ([], false) }
        return ([WhenClause(event: pick(fitting).from)], false)
    }

    /// What cannot pause may have any policy; what can pause only blocks, with any limit.
    private mutating func drawLink(_ isLive: Bool) -> LinkOptions {
        guard chance(60) else { return LinkOptions() }
        var options = LinkOptions(maxItems: number(1...6))
        if isLive, chance(70) { options.whenFull = pick(WhenFull.allCases) }
        if chance(20) { options.maxBytes = number(1...5) * 150 }
        if chance(20) { options.maxAge = .milliseconds(number(1...20)) }
        return options
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }
    private mutating func pick<T>(_ from: [T]) -> T { from[number(0...from.count - 1)] }
}
