import CampipeKit

/// What a program finds in its environment of an event: `CAMPIPE_KIND`, `CAMPIPE_ID`, `CAMPIPE_NODE`, `CAMPIPE_TIME`,
/// `CAMPIPE_PIPELINE`, `CAMPIPE_SINK`, and each plain value of the payload, as `CAMPIPE_REASON`.
enum CommandEnvironment {
    /// - Parameters:
    ///   - base: What it has anyway.
    ///   - time: When it happened, where the event does not know.
    static func variables(
        of event: Event, time: WallTime, pipeline: String, sink: String, base: [String: String]
    ) -> [String: String] {
        var variables = base
        for (key, value) in event.payload {
            if let text = text(value) { variables["CAMPIPE_" + name(key)] = clean(text) }
        }
        // What every event has is never what a payload calls so.
        variables["CAMPIPE_KIND"] = clean(event.kind.rawValue)
        variables["CAMPIPE_ID"] = clean(event.id)
        variables["CAMPIPE_NODE"] = clean(event.node)
        variables["CAMPIPE_TIME"] = (event.wallTime ?? time).iso8601
        variables["CAMPIPE_PIPELINE"] = clean(pipeline)
        variables["CAMPIPE_SINK"] = clean(sink)
        return variables
    }

    private static func text(_ value: EventValue) -> String? {
        switch value {
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): value.optionText
        case .text(let value): value
        case .list, .map: nil
        }
    }

    private static func name(_ key: String) -> String {
        String(
            decoding: key.utf8.prefix(64).map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
                default: UInt8(ascii: "_")
                }
            }, as: UTF8.self)
    }

    /// An environment ends at the first zero byte.
    private static func clean(_ text: String) -> String {
        text.utf8.contains(0) ? String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self) : text
    }
}
