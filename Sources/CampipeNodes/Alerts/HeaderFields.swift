import CampipeKit

/// Fields of a request's head: a map of names to texts. They may hold keys, and are shown nowhere.
struct HeaderFields: Hashable, Sendable {
    private(set) var fields: [Field] = []

    struct Field: Hashable, Sendable {
        var name: String
        var value: Secret
    }

    /// What libcurl or the sink itself writes.
    private static let reserved: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "expect", "content-type",
    ]

    func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }
}

extension HeaderFields: OptionValue {
    static var optionType: OptionType { .map(.secret) }
    static var optionPlaceholder: HeaderFields { HeaderFields() }
    var optionText: String? { nil }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> HeaderFields? {
        guard case .map(let map) = value else {
            faults.append(
                Fault(
                    .wrongKind, at: path, "found \(value.kindText), expected a map of names to texts",
                    fix: "write {Title: Motion}"))
            return nil
        }
        var fields = HeaderFields()
        for entry in map.entries {
            let path = path.key(entry.key)
            if let fault = fault(entry.key, at: path) {
                faults.append(fault)
                continue
            }
            guard let text = Secret.read(entry.value, at: path, into: &faults) else { continue }
            guard text.revealed.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 }) else {
                faults.append(
                    Fault(.invalidValue, at: path, "a field of a request is one line", fix: "take the line's end out"))
                continue
            }
            fields.fields.append(Field(name: entry.key, value: text))
        }
        return fields.fields.count == map.entries.count ? fields : nil
    }

    private static func fault(_ name: String, at path: FaultPath) -> Fault? {
        // RFC 9110 section 5.6.2: a token.
        let isToken =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte & 0xDF)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        guard isToken else {
            return Fault(
                .invalidValue, at: path, "this is no name of a request's field", fix: "write Title: or X-Api-Key:",
                part: .key)
        }
        guard !reserved.contains(name.lowercased()) else {
            return Fault(
                .invalidValue, at: path, "\(name) follows from what is sent", fix: "delete it", part: .key)
        }
        return nil
    }
}
