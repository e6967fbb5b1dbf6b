package import CampipeKit

/// The times of an item, exact on our side and in nanoseconds on the child's.
package struct ItemTimes: Hashable, Sendable {
    package var captured: Instant
    package var pts: MediaTime
    package var dts: MediaTime

    package init(captured: Instant, pts: MediaTime, dts: MediaTime? = nil) {
        self.captured = captured
        self.pts = pts
        self.dts = dts ?? pts
    }

    /// Of an item that is given to a child; an event has the time alone at which it happened.
    package init(_ item: ItemStorage) {
        switch item.kind {
        case .packet:
            let packet = Packet(storage: item)
            self.init(captured: packet.captured, pts: packet.pts, dts: packet.dts)
        case .frame:
            let frame = Frame(storage: item)
            self.init(captured: frame.captured, pts: frame.pts)
        case .event: self.init(captured: item.captured, pts: MediaTime(item.captured - .zero))
        }
    }

    /// Writes them into a header.
    package func write(to header: inout MessageHeader) {
        header.captured = captured.nanoseconds
        header.pts = pts.duration.nanoseconds
        header.dts = dts.duration.nanoseconds
    }
}

/// Decides what of the times that a child gives its items is believed: a value.
///
/// A transform's items are made of its inputs, so none was captured after the newest of them, or long before; the exact
/// times of an input are taken where the child repeats them in nanoseconds. What goes backwards or leaps is put right,
/// and counted.
package struct TimeCheck: Sendable {
    /// An item is not this much older or later than the newest input.
    package static let reach = Duration.seconds(60)

    private var inputs: [ItemTimes] = []
    private var last: [Int: MediaTime] = [:]
    /// How many items had times that were not believed.
    package private(set) var mended = 0

    package init() {}

    /// An input was given to the child.
    package mutating func gave(_ times: ItemTimes) {
        if inputs.count == 32 { inputs.removeFirst() }
        inputs.append(times)
    }

    /// The stream begins anew.
    package mutating func restart() { last = [:] }

    /// The times of an item that a transform made.
    ///
    /// - Parameter isInOrder: Whether presentation times must not go backwards: of frames.
    package mutating func ofTransform(_ header: MessageHeader, port: Int, isInOrder: Bool) -> ItemTimes? {
        guard let newest = inputs.last else { return nil }
        var isMended = false
        var times = newest
        if header.captured != MessageHeader.noTime {
            let captured = Instant(nanoseconds: header.captured)
            let latest = inputs.map(\.captured).max() ?? newest.captured
            if captured <= latest, captured >= latest - Self.reach {
                times.captured = captured
            } else {
                isMended = true
            }
        }
        if header.pts != MessageHeader.noTime {
            let pts = time(header.pts, like: newest.pts) { $0.pts }
            if abs(pts, newest.pts) <= Self.reach {
                times.pts = pts
                times.dts = pts
            } else {
                isMended = true
            }
        }
        if header.dts != MessageHeader.noTime {
            let dts = time(header.dts, like: newest.dts) { $0.dts }
            if abs(dts, newest.dts) <= Self.reach { times.dts = dts } else { isMended = true }
        }
        let ordered = isInOrder ? times.pts : times.dts
        if let before = last[port], ordered < before {
            isMended = true
            times.dts = before
            if isInOrder || times.pts < before { times.pts = before }
        }
        last[port] = isInOrder ? times.pts : times.dts
        if isMended { mended += 1 }
        return times
    }

    /// The times of an item of a source.
    ///
    /// - Parameters:
    ///   - now: When it came.
    ///   - isLive: Of what is not, the time of capture is that of presentation.
    package mutating func ofSource(_ header: MessageHeader, timebase: Timebase, isLive: Bool, now: Instant) -> ItemTimes
    {
        let given = header.pts == MessageHeader.noTime ? nil : Duration.nanoseconds(header.pts)
        var captured = now
        if isLive {
            let said = Instant(nanoseconds: header.captured)
            if header.captured != MessageHeader.noTime {
                if said <= now, said >= now - Self.reach { captured = said } else { mended += 1 }
            }
        } else {
            captured =
                .zero + (given ?? (header.captured == MessageHeader.noTime ? .zero : .nanoseconds(header.captured)))
        }
        func rescaled(_ time: Duration) -> MediaTime {
            let exact = MediaTime(time)
            return exact.rescaled(to: timebase) ?? exact
        }
        let pts = rescaled(given ?? captured - .zero)
        let dts = header.dts == MessageHeader.noTime ? pts : rescaled(.nanoseconds(header.dts))
        return ItemTimes(captured: captured, pts: pts, dts: min(dts, pts))
    }

    private func time(_ nanoseconds: Int64, like: MediaTime, _ part: (ItemTimes) -> MediaTime) -> MediaTime {
        for times in inputs.reversed() where part(times).duration.nanoseconds == nanoseconds { return part(times) }
        let exact = MediaTime(.nanoseconds(nanoseconds))
        return exact.rescaled(to: like.timebase) ?? exact
    }

    private func abs(_ left: MediaTime, _ right: MediaTime) -> Duration {
        let (a, b) = (Instant(nanoseconds: left.duration.nanoseconds), Instant(nanoseconds: right.duration.nanoseconds))
        return a < b ? b - a : a - b
    }
}
