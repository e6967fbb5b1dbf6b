package import CampipeKit

/// What a child may say, and what it means: the host's side of the conversation, as a value (docs/exec-protocol.md).
///
/// Nothing that a child sends is believed: each message is asked whether it may come now, on such a port, of such a size.
/// The first that may not ends the conversation. Neither I/O nor clock.
package struct ChildSpeech: Sendable {
    /// What a message means.
    package enum Meaning: Sendable {
        case ready
        case format(port: Int, Format)
        /// An item whose data follows.
        case item(Item)
        case gap(port: Int, count: Int)
        /// It is through with what it was asked.
        case done(isOver: Bool)
        case failed(String, isOver: Bool)
        case log(Log.Level, String)
        /// A source is well, and gives nothing for so long.
        case rest(Duration)
    }

    /// An item as announced.
    package struct Item: Sendable {
        package var port: Int
        package var header: MessageHeader
        package var text: [String: EventValue]
        /// What the port carries.
        package var format: Format
        /// Of frames.
        package var layout: PixelLayout?
    }

    /// As many unanswered items a child may ask for at most.
    package static let creditLimit = 8
    /// As many formats a child may announce without an item between them.
    private static let announcementLimit = 64
    /// What a transform may make of one input.
    package static let madeLimit = 1000
    package static let madeByteLimit = 2 * MessageHeader.dataLimit

    /// For how long a source may say at once that nothing is due.
    package static let restLimit = Duration.seconds(86_400)

    private let outputs: [PortDescriptor]
    private let isSource: Bool
    private let align: Int
    /// How many bytes of the shared memory the child may point to.
    private let memory: Range<Int>
    private var isReady = false
    private var formats: [Format?]
    private var layouts: [PixelLayout?]
    private var announcements = 0
    /// What came since the last answer of a transform.
    private var made = 0
    private var madeBytes = 0
    /// How many messages of ours wait for an answer.
    package private(set) var unanswered = 0
    /// How many items a transform or a sink takes before it has answered the first.
    package private(set) var credit = 1
    /// How many items a child of our own may keep back, as it said with its last answer to a format.
    package private(set) var holds = 0
    /// How many items a source may still send.
    package private(set) var granted = 0

    /// - Parameters:
    ///   - outputs: The node's outputs, as its hello names them.
    ///   - align: What rows of frames are padded to.
    ///   - memory: The part of the shared memory that the child writes to; empty without one.
    package init(outputs: [PortDescriptor], isSource: Bool, align: Int = 1, memory: Range<Int> = 0..<0) {
        self.outputs = outputs
        self.isSource = isSource
        self.align = align
        self.memory = memory
        formats = outputs.map { $0.kind == .event ? .events : nil }
        layouts = outputs.map { _ in nil }
    }

    /// What an output carries, as far as the child said.
    package func format(_ port: Int) -> Format? { port < formats.count ? formats[port] : nil }

    /// A message was sent that is to be answered.
    package mutating func asked() { unanswered += 1 }

    /// A source was granted more items.
    package mutating func grant(_ count: Int) { granted += count }

    /// Whether the message may come now, and be so large; asked before there is room for what follows.
    package func admit(_ header: MessageHeader) throws(CampipeError) {
        if isReady == (header.kind == .ready), header.kind != .log, header.kind != .failed {
            throw CampipeError(
                .badData, isReady ? "it says twice that it is ready" : "it sends before it says that it is ready")
        }
        switch header.kind {
        case .ready, .format, .gap, .done, .failed, .log, .rest:
            guard header.dataCount == 0 else { throw CampipeError(.badData, "it sends data with a \(header.kind)") }
            // A source answers nothing, but says that it is over.
            if header.kind == .done, unanswered == 0, !isSource {
                throw CampipeError(.badData, "it answers what it was not asked")
            }
            if header.kind == .rest, !isSource {
                throw CampipeError(.badData, "it says that it rests, which only a source does")
            }
        case .item: try admitItem(header)
        case .hello, .drain, .credit, .finish:
            throw CampipeError(.badData, "it sends a \(header.kind), which only campipe does")
        }
        if header.kind == .format || header.kind == .gap, Int(header.port) >= outputs.count {
            throw CampipeError(.badData, "it has no output \(header.port)")
        }
    }

    private func admitItem(_ header: MessageHeader) throws(CampipeError) {
        guard Int(header.port) < outputs.count else {
            throw CampipeError(.badData, "it sends an item on output \(header.port), and has \(outputs.count)")
        }
        let port = Int(header.port)
        guard let format = formats[port] else {
            throw CampipeError(
                .badData,
                "it sends \(outputs[port].kind.plural) on \(outputs[port].name) before it says in what format",
                fix: "let it send a format first")
        }
        if isSource {
            guard granted > 0 else { throw CampipeError(.badData, "it sends more items than it was granted") }
        } else if unanswered == 0 {
            throw CampipeError(.badData, "it sends an item though none was given to it")
        } else if made >= Self.madeLimit || header.dataCount > Self.madeByteLimit - madeBytes {
            throw CampipeError(.badData, "it makes more of one input than is taken")
        }
        switch format {
        case .events:
            guard header.dataCount == 0 else { throw CampipeError(.badData, "it sends data with an event") }
        case .frames:
            guard let layout = layouts[port], layout.byteCount == header.dataCount else {
                throw CampipeError(
                    .badData,
                    "it sends a frame of \(header.dataCount) bytes, and \(format) has \(layouts[port]?.byteCount ?? 0)")
            }
        case .packets: break
        }
        guard header.flags.contains(.shared) else { return }
        guard let place = Int(exactly: header.place), place >= memory.lowerBound,
            header.dataCount <= memory.upperBound - place, place <= memory.upperBound
        else { throw CampipeError(.badData, "it points outside its part of the shared memory") }
    }

    /// What the message means.
    ///
    /// - Parameter text: Its JSON.
    package mutating func take(_ header: MessageHeader, text: ArraySlice<UInt8>) throws(CampipeError) -> Meaning {
        let map = try JSONReader.map(text)
        let port = Int(header.port)
        switch header.kind {
        case .ready:
            guard let version = map.integer("protocol"), version == Hello.version else {
                throw CampipeError(
                    .unsupported, "it speaks protocol \(map.integer("protocol") ?? 0), and this is \(Hello.version)",
                    fix: "take the campipe.py that goes with this campipe")
            }
            credit = min(max(map.integer("credit") ?? 1, 1), Self.creditLimit)
            isReady = true
            return .ready
        case .format:
            announcements += 1
            guard announcements <= Self.announcementLimit else {
                throw CampipeError(.badData, "it announces formats and sends nothing")
            }
            let format = try FormatText.format(map, of: outputs[port].kind)
            if case .frames(let frames) = format, let pixel = frames.pixel, let size = frames.size {
                layouts[port] = try PixelLayout(pixel, size, align: align)
            }
            formats[port] = format
            return .format(port: port, format)
        case .item:
            announcements = 0
            if isSource { granted -= 1 }
            made += 1
            madeBytes += header.dataCount
            guard let format = formats[port] else { throw CampipeError(.badData, "it sends an item of no format") }
            return .item(Item(port: port, header: header, text: map, format: format, layout: layouts[port]))
        case .gap: return .gap(port: port, count: min(max(map.integer("count") ?? 1, 0), 1_000_000))
        case .done:
            if unanswered > 0 { unanswered -= 1 }
            (made, madeBytes) = (0, 0)
            if let holds = map.integer("holds") { self.holds = min(max(holds, 0), 1000) }
            return .done(isOver: map.flag("over") ?? false)
        case .failed:
            let message = map.text("message").map { String($0.prefix(2000)) } ?? "it says no more"
            // A failure outside any request is of the whole.
            let isOver = map.flag("over") ?? false || unanswered == 0
            if unanswered > 0 { unanswered -= 1 }
            return .failed(message, isOver: isOver)
        case .log:
            let level = map.text("level").flatMap { name in Log.Level.allCases.first { $0.name == name } } ?? .info
            return .log(level, String((map.text("message") ?? "").prefix(2000)))
        case .rest:
            let seconds = map.number("seconds") ?? 0
            return .rest(seconds > 0 ? min(.seconds(min(seconds, 1e6)), Self.restLimit) : .zero)
        case .hello, .drain, .credit, .finish:
            throw CampipeError(.badData, "it sends a \(header.kind), which only campipe does")
        }
    }
}
