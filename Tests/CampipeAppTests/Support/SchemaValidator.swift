import CampipeConfig
import CampipeKit
import Foundation

/// Checks values by a JSON Schema, as far as `campipe schema` uses draft 7; what it does not know is a failure.
struct SchemaValidator {
    private let root: [String: Any]

    init(_ json: String) throws {
        root = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
    }

    /// A value as an editor's YAML server reads it (the core schema of YAML 1.2): only what has no quotes is a number.
    enum Item: Equatable {
        case null, bool(Bool), number(Double), text(String), list([Item]), map([String: Item])

        init(_ value: Value) {
            switch value {
            case .list(let elements): self = .list(elements.map(Item.init))
            case .map(let map):
                self = .map(Dictionary(map.entries.map { ($0.key, Item($0.value)) }) { first, _ in first })
            case .scalar(let scalar) where scalar.isQuoted: self = .text(scalar.text)
            case .scalar(let scalar) where scalar.isNull: self = .null
            case .scalar(let scalar):
                let isNumber = scalar.text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil
                if let number = isNumber ? Double(scalar.text) : nil {
                    self = .number(number)
                } else {
                    self =
                        scalar.text == "true" ? .bool(true) : scalar.text == "false" ? .bool(false) : .text(scalar.text)
                }
            }
        }
    }

    /// Where a file's text does not fit; empty when it does.
    func problems(in yaml: String) -> [String] {
        let reading = YAMLReader.read(Array(yaml.utf8), name: "x")
        guard let tree = reading.root else { return ["no YAML"] }
        return problems(Item(tree.value), root, "")
    }

    private func problems(_ item: Item, _ schema: [String: Any], _ path: String) -> [String] {
        var found: [String] = []
        func fail(_ what: String) { found.append("\(path): \(what)") }
        func fits(_ schema: Any?) -> Bool { problems(item, schema as? [String: Any] ?? [:], path).isEmpty }
        for (keyword, rule) in schema {
            switch keyword {
            case "$schema", "title", "description", "definitions", "then": break
            case "$ref":
                let name = String((rule as? String ?? "").dropFirst("#/definitions/".count))
                let definitions = root["definitions"] as? [String: Any]
                guard let target = definitions?[name] as? [String: Any] else { return ["\(name) is not defined"] }
                found += problems(item, target, path)
            case "type":
                let types = rule as? [String] ?? [rule as? String ?? ""]
                if !types.contains(where: { Self.isOf(item, $0) }) { fail("is not \(types)") }
            case "const": if item != Self.item(rule) { fail("is not \(rule)") }
            case "enum":
                if !(rule as? [Any] ?? []).contains(where: { Self.item($0) == item }) { fail("is none of \(rule)") }
            case "anyOf": if !(rule as? [Any] ?? []).contains(where: fits) { fail("fits nothing") }
            case "allOf":
                for part in rule as? [Any] ?? [] { found += problems(item, part as? [String: Any] ?? [:], path) }
            case "if": if fits(rule) { found += problems(item, schema["then"] as? [String: Any] ?? [:], path) }
            case "pattern":
                if case .text(let text) = item, (try? Regex(rule as? String ?? "").firstMatch(in: text)) == nil {
                    fail("does not match")
                }
            case "minLength": if case .text("") = item { fail("is empty") }
            case "minimum": if case .number(let number) = item, number < Self.number(rule) { fail("is too small") }
            case "maximum": if case .number(let number) = item, number > Self.number(rule) { fail("is too large") }
            case "items":
                guard case .list(let elements) = item else { break }
                for element in elements { found += problems(element, rule as? [String: Any] ?? [:], path + "[]") }
            case "required":
                guard case .map(let map) = item else { break }
                for key in rule as? [String] ?? [] where map[key] == nil { fail("lacks \(key)") }
            case "propertyNames":
                guard case .map(let map) = item else { break }
                for key in map.keys { found += problems(.text(key), rule as? [String: Any] ?? [:], path + "." + key) }
            case "properties", "additionalProperties":
                guard keyword == "properties" || schema["properties"] == nil, case .map(let map) = item else { break }
                let properties = schema["properties"] as? [String: Any] ?? [:]
                for (key, value) in map {
                    if let property = properties[key] as? [String: Any] {
                        found += problems(value, property, "\(path).\(key)")
                    } else if let other = schema["additionalProperties"] as? [String: Any] {
                        found += problems(value, other, "\(path).\(key)")
                    } else if schema["additionalProperties"] as? Bool == false {
                        fail("does not know \(key)")
                    }
                }
            default: fail("the keyword \(keyword) is not known to this test")
            }
        }
        return found
    }

    private static func isOf(_ item: Item, _ type: String) -> Bool {
        switch (item, type) {
        case (.null, "null"), (.bool, "boolean"), (.number, "number"), (.text, "string"), (.list, "array"),
            (.map, "object"):
            true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }

    private static func number(_ rule: Any) -> Double { (rule as? NSNumber)?.doubleValue ?? .nan }

    private static func item(_ rule: Any) -> Item {
        switch rule {
        case let text as String: return .text(text)
        case let number as NSNumber:
            // JSON's true is a number to Foundation, of this one type.
            return String(cString: number.objCType) == "c" ? .bool(number.boolValue) : .number(number.doubleValue)
        default: return .null
        }
    }
}
