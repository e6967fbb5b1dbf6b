import CampipeKit

/// An item as one line for a person or a program.
struct ItemLine {
    /// The source it comes from; packets and frames do not know.
    var source: String
    /// When it was captured, in the world's time.
    var time: WallTime

    func text(_ item: some Item) -> String {
        if let event = item as? Event {
            var line = "\((event.wallTime ?? time).iso8601) \(event.kind.rawValue) \(event.node) id=\(event.id)"
            for (key, value) in event.payload.sorted(by: { $0.key < $1.key }) {
                line += " \(key)="
                value.appendJSON(to: &line)
            }
            return line
        }
        return ([time.iso8601] + facts(item).map(\.text)).joined(separator: " ")
    }

    func json(_ item: some Item) -> String {
        if let event = item as? Event { return event.json(time: time) }
        var line = "{"
        for fact in facts(item) {
            EventValue.appendJSON(text: fact.key, to: &line)
            line += ":"
            fact.value.appendJSON(to: &line)
            line += ","
        }
        return line + "\"time\":\"\(time.iso8601)\"}"
    }

    /// One thing to say of an item.
    private struct Fact {
        var key: String
        var value: EventValue
        var text: String

        init(_ key: String, _ value: EventValue, _ text: String) {
            self.key = key
            self.value = value
            self.text = text
        }
    }

    private func facts(_ item: some Item) -> [Fact] {
        var facts = [
            Fact("kind", .text(item.storage.kind.rawValue), item.storage.kind.rawValue),
            Fact("source", .text(source), source),
        ]
        func add(_ size: Size?) {
            guard let size else { return }
            facts.append(Fact("size", .text(size.description), size.description))
        }
        if let packet = item as? Packet {
            let coding = packet.format.coding?.rawValue ?? "unknown"
            facts.append(Fact("coding", .text(coding), coding))
            add(packet.format.size)
            facts.append(Fact("bytes", .integer(packet.data.count), "\(packet.data.count)B"))
            facts.append(pts(packet.pts))
            facts.append(Fact("key", .bool(packet.isKeyframe), packet.isKeyframe ? "key" : "delta"))
            if packet.isDamaged { facts.append(Fact("damaged", .bool(true), "damaged")) }
        } else if let frame = item as? Frame {
            facts.append(Fact("pixel", .text(frame.pixel.rawValue), frame.pixel.rawValue))
            add(frame.size)
            facts.append(pts(frame.pts))
            if frame.isDamaged { facts.append(Fact("damaged", .bool(true), "damaged")) }
        }
        return facts
    }

    private func pts(_ time: MediaTime) -> Fact {
        let seconds = (time.duration.seconds * 1e6).rounded() / 1e6
        return Fact("pts", .number(seconds), "pts=\(seconds)")
    }
}
