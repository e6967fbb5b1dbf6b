/// One metric: what it is, and its samples. A value; see `MetricsText` for how it is written.
struct MetricFamily: Equatable, Sendable {
    enum Kind: String, Sendable { case counter, gauge, histogram }

    /// A label's name and value; the value may be any text.
    struct Label: Equatable, Sendable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    struct Sample: Equatable, Sendable {
        /// Behind the family's name: `_bucket`, `_sum` and `_count` of a histogram.
        var suffix = ""
        var labels: [Label]
        var value: Double
    }

    var name: String
    var kind: Kind
    /// One sentence.
    var help: String
    var samples: [Sample] = []

    init(_ kind: Kind, _ name: String, _ help: String) {
        self.kind = kind
        self.name = name
        self.help = help
    }

    mutating func add(_ labels: [Label], _ value: Double) { samples.append(Sample(labels: labels, value: value)) }

    mutating func add(_ labels: [Label], _ value: Int) { add(labels, Double(value)) }

    /// Adds a histogram.
    ///
    /// - Parameters:
    ///   - buckets: Upper bounds, growing, each with how many were at most that much.
    ///   - sum: Of all that was observed.
    ///   - count: How many were observed.
    mutating func add(_ labels: [Label], buckets: [(atMost: Double, count: UInt64)], sum: Double, count: UInt64) {
        for bucket in buckets {
            let bound = Label("le", MetricsText.number(bucket.atMost))
            samples.append(Sample(suffix: "_bucket", labels: labels + [bound], value: Double(bucket.count)))
        }
        samples.append(Sample(suffix: "_bucket", labels: labels + [Label("le", "+Inf")], value: Double(count)))
        samples.append(Sample(suffix: "_sum", labels: labels, value: sum))
        samples.append(Sample(suffix: "_count", labels: labels, value: Double(count)))
    }
}
