import CampipeKit

/// One type of node, told as text, Markdown or JSON from its declaration.
struct NodePage {
    let entry: NodeCatalogue.Entry

    init(_ entry: NodeCatalogue.Entry) { self.entry = entry }

    /// The options of all kinds of the type; kinds of one type mostly share them.
    private var options: [OptionSchema] {
        var seen: Set<String> = []
        return entry.descriptors.flatMap(\.options).filter { seen.insert($0.key).inserted }
    }

    private var singular: String { String(entry.section.dropLast()) }

    // MARK: Text

    func text(_ style: TerminalStyle) -> String {
        var lines = ["\(style.styled(entry.name, .bold)) (\(singular))", "  \(entry.summary)"]
        for (title, ports) in [("takes", ports(\.inputs)), ("gives", ports(\.outputs))] where !ports.isEmpty {
            lines.append("")
            lines.append(style.styled(title, .bold))
            lines += ports.map { "  \($0.name)  \($0.text)" }
        }
        lines += facts.isEmpty ? [] : [""] + facts
        if !options.isEmpty {
            lines.append("")
            lines.append(style.styled("options", .bold))
            lines += rows(options).map {
                "  " + String(repeating: "  ", count: $0.depth) + "\($0.key)  \($0.about)\n" + "      "
                    + String(repeating: "  ", count: $0.depth) + $0.summary
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var facts: [String] {
        guard let first = entry.descriptors.first else { return [] }
        var facts: [String] = []
        if first.execution == .ownThread { facts.append("Runs on a thread of its own.") }
        if let late = first.lateAfter {
            let text = late.optionText ?? ""
            facts.append(
                first.contract == .sink
                    ? "late_after is \(text) unless the file says otherwise."
                    : "Leaves out live pictures older than \(text), but takes one a second where all are.")
        }
        if let role = first.role {
            facts.append("campipe puts it in by itself where a link needs to \(role.rawValue).")
        }
        return facts
    }

    /// A port of any kind of the type, with what all of them take or give there.
    private struct Port {
        var name: String
        var formats: [String] = []
        var isOptional: Bool
        var takesMany: Bool
        var counts: ClosedRange<Int>?

        /// `frames or packets, several`; `frames, 2 to 36`.
        var text: String {
            let many = counts.map { ", \($0.lowerBound) to \($0.upperBound)" } ?? (takesMany ? ", several" : "")
            return formats.joined(separator: " or ") + (isOptional ? ", optional" : "") + many
        }
    }

    private func ports(_ which: KeyPath<NodeDescriptor, [PortDescriptor]>) -> [Port] {
        var rows: [Port] = []
        for port in entry.descriptors.flatMap({ $0[keyPath: which] }) {
            let place = rows.firstIndex { $0.name == port.name } ?? rows.count
            if place == rows.count {
                rows.append(
                    Port(
                        name: port.name, isOptional: port.isOptional, takesMany: port.takesMany, counts: port.counts))
            }
            for format in port.formats.map(\.description) where !rows[place].formats.contains(format) {
                rows[place].formats.append(format)
            }
        }
        return rows
    }

    /// The options, groups unfolded.
    private func rows(_ options: [OptionSchema], depth: Int = 0) -> [(
        key: String, about: String, summary: String, depth: Int
    )] {
        options.flatMap { option -> [(key: String, about: String, summary: String, depth: Int)] in
            if case .group(let inner) = option.type {
                return [(option.key, "a map", option.summary, depth)] + rows(inner, depth: depth + 1)
            }
            return [(option.key, about(option), option.summary, depth)]
        }
    }

    private func about(_ option: OptionSchema) -> String {
        var parts = [option.type.text]
        if let range = option.range { parts.append(range) }
        if option.isRequired { parts.append("required") }
        if let value = option.defaultText { parts.append("default \(value)") }
        return parts.joined(separator: ", ")
    }

    // MARK: Markdown

    var markdown: String {
        var lines = ["### `\(entry.name)` (\(singular))", "", entry.summary, ""]
        for (title, ports) in [("Takes", ports(\.inputs)), ("Gives", ports(\.outputs))] where !ports.isEmpty {
            lines.append("\(title) " + ports.map { "`\($0.name)` (\($0.text))" }.joined(separator: ", ") + ".")
        }
        lines += facts
        if !options.isEmpty {
            lines += ["", "| option | what it takes | about |", "| --- | --- | --- |"]
            lines += rows(options).map { row in
                let key = String(repeating: "&nbsp;&nbsp;", count: row.depth) + "`\(row.key)`"
                return "| \(key) | \(cell(row.about)) | \(cell(row.summary)) |"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func cell(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "|") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: JSON

    var json: String {
        func ports(_ which: KeyPath<NodeDescriptor, [PortDescriptor]>) -> String {
            self.ports(which).map { port in
                "{\"name\":\(JSONString.quoted(port.name)),"
                    + "\"formats\":[\(port.formats.map(JSONString.quoted).joined(separator: ","))],"
                    + "\"optional\":\(port.isOptional),\"many\":\(port.takesMany)}"
            }.joined(separator: ",")
        }
        return "{\"name\":\(JSONString.quoted(entry.name)),\"section\":\"\(entry.section)\","
            + "\"summary\":\(JSONString.quoted(entry.summary)),\"inputs\":[\(ports(\.inputs))],"
            + "\"outputs\":[\(ports(\.outputs))],\"options\":[\(options.map(json).joined(separator: ","))]}"
    }

    private func json(_ option: OptionSchema) -> String {
        var parts = [
            "\"key\":\(JSONString.quoted(option.key))", "\"type\":\(JSONString.quoted(option.type.text))",
            "\"summary\":\(JSONString.quoted(option.summary))", "\"required\":\(option.isRequired)",
        ]
        if let value = option.defaultText { parts.append("\"default\":\(JSONString.quoted(value))") }
        if let range = option.range { parts.append("\"range\":\(JSONString.quoted(range))") }
        if case .group(let inner) = option.type {
            parts.append("\"options\":[\(inner.map(json).joined(separator: ","))]")
        }
        return "{\(parts.joined(separator: ","))}"
    }
}
