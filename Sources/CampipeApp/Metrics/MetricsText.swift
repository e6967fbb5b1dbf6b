/// Metrics as Prometheus reads them: the text format 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats, "Text-based format").
enum MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All families, each with its HELP and TYPE; one without samples is left out.
    static func render(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty {
            text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples {
                text += family.name + sample.suffix
                if !sample.labels.isEmpty {
                    let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
                    text += "{\(labels.joined(separator: ","))}"
                }
                text += " \(number(sample.value))\n"
            }
        }
        return text
    }

    /// A number without an exponent or a point where it needs none.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && value.magnitude < 1e15 ? String(Int(value)) : "\(value)"
    }

    /// A backslash, a line feed and, in a label's value, a quotation mark are written with a backslash.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += Array("\\\\".utf8)
            case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
            case UInt8(ascii: "\"") where quotes: bytes += Array("\\\"".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
