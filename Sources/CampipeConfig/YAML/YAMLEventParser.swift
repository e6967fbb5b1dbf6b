internal import CYAML

/// libyaml's event parser over one text. The only owner of its C state.
///
/// Its cost is bounded by what is read of it: events come as they are asked for, and whoever stops asking (too deep,
/// too many values) ends the work. libyaml looks ahead 1,024 characters at most for the colon of a key.
@safe final class YAMLEventParser {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// - Parameter text: UTF-8 without a byte order mark.
    init(_ text: [UInt8]) {
        unsafe input = UnsafeMutableBufferPointer.allocate(capacity: max(text.count, 1))
        _ = unsafe input.initialize(from: text)
        unsafe parser = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe parser.initialize(to: yaml_parser_t())
        // Fails only without memory; the first `next` then reports it.
        unsafe yaml_parser_initialize(parser)
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, text.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    func next() throws(YAMLProblem) -> YAMLEvent {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else {
            throw unsafe YAMLProblem(
                problem: parser.pointee.problem.map { unsafe String(cString: $0) } ?? "out of memory",
                context: parser.pointee.context.map { unsafe String(cString: $0) } ?? "",
                place: parser.pointee.problem_mark.index,
                contextPlace: parser.pointee.context_mark.index, isInFlow: parser.pointee.flow_level > 0)
        }
        defer { unsafe yaml_event_delete(&event) }
        return unsafe Self.value(of: event)
    }

    private static func value(of event: yaml_event_t) -> YAMLEvent {
        var anchor: UnsafeMutablePointer<yaml_char_t>? = nil
        var tag: UnsafeMutablePointer<yaml_char_t>? = nil
        let kind: YAMLEvent.Kind
        switch unsafe event.type {
        case YAML_STREAM_START_EVENT: kind = .streamStart
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        case YAML_ALIAS_EVENT: kind = .alias(unsafe text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            kind = unsafe .scalar(
                text: String(decoding: bytes, as: UTF8.self), isQuoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
            unsafe anchor = scalar.anchor
            unsafe tag = scalar.tag
        case YAML_SEQUENCE_START_EVENT:
            kind = .listStart
            unsafe anchor = event.data.sequence_start.anchor
            unsafe tag = event.data.sequence_start.tag
        case YAML_SEQUENCE_END_EVENT: kind = .listEnd
        case YAML_MAPPING_START_EVENT:
            kind = .mapStart
            unsafe anchor = event.data.mapping_start.anchor
            unsafe tag = event.data.mapping_start.tag
        case YAML_MAPPING_END_EVENT: kind = .mapEnd
        default: kind = .streamEnd
        }
        return unsafe YAMLEvent(
            kind: kind, start: event.start_mark.index, end: event.end_mark.index, anchor: text(anchor), tag: text(tag))
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}
