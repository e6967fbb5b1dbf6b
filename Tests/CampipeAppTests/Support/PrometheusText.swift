/// Reads the text format 0.0.4 strictly: what a reader could take in more than one way, or must guess, is refused.
struct PrometheusText {
    struct Wrong: Error { var line: String; var why: String }

    /// By name with its labels in the text's order: `a_total{link="x"}`.
    private(set) var samples: [(name: String, labels: [String: String], value: Double)] = []
    private(set) var types: [String: String] = [:]

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Wrong(line: "", why: "the last line has no end") }
        var helped: Set<String> = []
        var family = ""
        var seen: Set<String> = []
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            func refuse(_ why: String) -> Wrong { Wrong(line: String(line), why: why) }
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            if line.hasPrefix("#") {
                guard words.count == 4, Self.isName(words[2]) else { throw refuse("no comment of a metric") }
                let name = String(words[2])
                switch words[1] {
                case "HELP":
                    guard helped.insert(name).inserted else { throw refuse("a second HELP") }
                case "TYPE":
                    guard helped.contains(name), types[name] == nil else { throw refuse("TYPE out of its place") }
                    guard ["counter", "gauge", "histogram"].contains(words[3]) else { throw refuse("no type") }
                    types[name] = String(words[3])
                    family = name
                default: throw refuse("neither HELP nor TYPE")
                }
                continue
            }
            let (name, labels, rest) = try Self.head(line)
            guard let value = Self.value(rest) else { throw refuse("no value") }
            let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            guard suffixes.contains(where: { name == family + $0 }) else { throw refuse("not of the family above") }
            let isCounter = types[family] == "counter"
            guard isCounter == name.hasSuffix("_total") else { throw refuse("counters, and they alone, end in _total") }
            guard !isCounter || value >= 0 else { throw refuse("a counter below 0") }
            let identity = "\(name) \(labels.sorted { $0.key < $1.key })"
            guard seen.insert(identity).inserted else { throw refuse("the same sample twice") }
            samples.append((name, labels, value))
        }
        try checkHistograms()
    }

    subscript(name: String, labels: [String: String]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    /// Sums of all samples of that name which have these labels among theirs.
    func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
        samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }.reduce(0) { $0 + $1.value }
    }

    private func checkHistograms() throws {
        for (family, type) in types where type == "histogram" {
            var groups: [[String: String]: [(Double, Double)]] = [:]
            for sample in samples where sample.name == family + "_bucket" {
                var labels = sample.labels
                guard let bound = labels.removeValue(forKey: "le").flatMap({ Self.value($0[...]) }) else {
                    throw Wrong(line: family, why: "a bucket without bound")
                }
                groups[labels, default: []].append((bound, sample.value))
            }
            for (labels, buckets) in groups {
                let sorted = zip(buckets, buckets.dropFirst()).allSatisfy { $0.0 < $1.0 && $0.1 <= $1.1 }
                guard sorted, buckets.last?.0 == .infinity, buckets.last?.1 == self[family + "_count", labels],
                    self[family + "_sum", labels] != nil
                else { throw Wrong(line: "\(family)\(labels)", why: "buckets do not add up") }
            }
        }
    }

    private static func head(_ line: Substring) throws -> (String, [String: String], Substring) {
        func refuse(_ why: String) -> Wrong { Wrong(line: String(line), why: why) }
        let name = line.prefix { $0 != "{" && $0 != " " }
        guard isName(name) else { throw refuse("no name") }
        var rest = line[name.endIndex...]
        var labels: [String: String] = [:]
        guard rest.first == "{" else { return (String(name), labels, rest.dropFirst()) }
        rest = rest.dropFirst()
        while true {
            let label = rest.prefix { $0 != "=" }
            guard isName(label), !label.contains(":") else { throw refuse("no label") }
            rest = rest[label.endIndex...].dropFirst()
            guard rest.first == "\"" else { throw refuse("no quoted value") }
            rest = rest.dropFirst()
            var value = ""
            while let character = rest.first, character != "\"" {
                rest = rest.dropFirst()
                if character == "\\" {
                    switch rest.first {
                    case "n": value += "\n"
                    case "\\": value += "\\"
                    case "\"": value += "\""
                    default: throw refuse("no such escape")
                    }
                    rest = rest.dropFirst()
                } else {
                    value.append(character)
                }
            }
            guard rest.first == "\"", labels.updateValue(value, forKey: String(label)) == nil else {
                throw refuse("a value without end, or a label twice")
            }
            rest = rest.dropFirst()
            if rest.hasPrefix("} ") { return (String(name), labels, rest.dropFirst(2)) }
            guard rest.first == "," else { throw refuse("what stands behind a label") }
            rest = rest.dropFirst()
        }
    }

    private static func value(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) } ? Double(text) : nil
        }
    }

    private static func isName(_ text: Substring) -> Bool {
        text.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil
    }
}
