import CampipeKit

/// Node types that look like the real ones from the file's side: same words, nothing behind them.
let testRegistry = Registry([
    Registration(source: TestCamera.self),
    Registration(source: TestFileSource.self),
    Registration(source: TestTwins.self),
    Registration(source: TestPattern<Frame>.self),
    Registration(source: TestPattern<Packet>.self),
    Registration(transform: TestScale.self),
    Registration(transform: TestMotion.self),
    Registration(join: TestOverlay.self),
    Registration(join: TestGrid.self),
    Registration(transform: TestFields.self),
    Registration(transform: TestMask.self),
    Registration(transform: TestDecode.self),
    Registration(transform: TestEncode.self),
    Registration(transform: TestIdentity<Packet>.self),
    Registration(transform: TestIdentity<Frame>.self),
    Registration(transform: TestIdentity<Event>.self),
    Registration(sink: TestHTTP.self),
    Registration(sink: TestFileSink.self),
    Registration(sink: TestTerminal.self),
    Registration(sink: TestLog.self),
    Registration(sink: TestJPEGOnly.self),
])

struct TestCamera: Source {
    static let name = "camera"
    static let summary = "A camera by its URL."
    static let sub = Out<Packet>("sub", format: .packets(.jpeg))
    static let audio = Out<Packet>("audio", format: .packets(PacketFormat(.aac)))
    static let outputs: [any AnyPort] = [Out<Packet>("out"), sub, audio]
    enum Speed: String, OptionChoice { case realtime, max }

    @Option("The address.") var url: String
    @Option("The address of the small stream.") var subUrl: String? = nil
    @Option("Who signs in.") var username: Secret? = nil
    @Option("The password.") var password: Secret? = nil
    @Option(1...240, "Pictures a second.") var fps: Int? = nil
    @Option("How long to wait for an answer.") var connectTimeout: Duration = .seconds(5)
    @Option("How fast to play.") var speed = Speed.realtime
    @Option("Whether to check certificates.") var verify = true

    var isLive: Bool { speed == .realtime }
    var format: Format? { url.hasSuffix(".h264") ? .packets(.h264) : .packets(.jpeg) }
    mutating func next(to output: inout Output) throws -> Next { .ended }
}

struct TestFileSource: Source {
    static let name = "file"
    static let summary = "Plays a file."
    static let outputs: [any AnyPort] = [Out<Packet>("out")]
    @Option("The file.") var path: String
    @Option("Pictures a second.") var fps: Double? = nil
    var isLive: Bool { false }
    mutating func next(to output: inout Output) throws -> Next { .ended }
}

/// One type for two kinds of item; its options say which.
struct TestPattern<Made: Item>: Source {
    static var name: String { "pattern" }
    static var summary: String { "Makes pictures or packets." }
    static var outputs: [any AnyPort] { [Out<Made>("out")] }
    enum Kind: String, OptionChoice { case picture, empty }
    @Option("What it makes.") var kind = Kind.picture
    var isLive: Bool { false }
    var format: Format? { kind == .picture ? .frames(.yuv420) : .packets(.empty) }
    mutating func next(to output: inout Output) throws -> Next { .ended }
}

/// Two outputs of one kind, neither the main one.
struct TestTwins: Source {
    static let name = "twins"
    static let summary = "Two lenses."
    static let outputs: [any AnyPort] = [Out<Frame>("left"), Out<Frame>("right"), Out<Event>("events")]
    mutating func next(to output: inout Output) throws -> Next { .ended }
}

struct TestScale: Transform {
    static let name = "scale"
    static let summary = "Makes pictures smaller."
    @Option(16...7680, "The width.") var width = 640
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {}
}

struct TestMotion: Transform {
    static let name = "motion"
    static let summary = "Finds motion."
    static let events = Out<Event>("events")
    static let outputs: [any AnyPort] = [Out<Frame>("out"), events]
    enum Sensitivity: String, OptionChoice { case low, medium, high }
    @Option("How easily it fires.") var sensitivity = Sensitivity.medium
    @Option("The least area.") var minArea = Percent(fraction: 0.005)
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {}
}

struct TestOverlay: Join {
    static let name = "overlay"
    static let summary = "Writes text on pictures."
    static let inputs: [any AnyPort] = [
        In<Frame>("input"), In<Event>("events", optional: true, many: true),
    ]
    enum Drawing: String, OptionChoice { case boxes, zones }
    @Option("The text.", hasFields: true) var text = ""
    @Option("What else to draw.") var draw: [Drawing] = []

    func check(at path: FaultPath, into faults: inout [Fault]) {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let field = String(rest[open..<close].dropFirst())
            if !["source", "fps", "age"].contains(field) {
                faults.append(
                    Fault(
                        .unknownField, at: path.key("text"), "unknown field {\(field)}",
                        fix: Nearest.fix(field, in: ["source", "fps", "age"])))
            }
            rest = rest[close...].dropFirst()
        }
    }
    mutating func process(_ frame: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {}
}

/// Says of each unknown field where it stands in the text.
struct TestFields: Transform {
    static let name = "fields"
    static let summary = "Writes fields on pictures."
    @Option("The text.", hasFields: true) var text = ""

    func check(at path: FaultPath, into faults: inout [Fault]) {
        let scalars = Array(text.unicodeScalars)
        var start = 0
        // As many as anyone would read, as the real ones do.
        while faults.count < 50, let open = scalars[start...].firstIndex(of: "{"),
            let close = scalars[open...].firstIndex(of: "}")
        {
            let field = String(String.UnicodeScalarView(scalars[(open + 1)..<close]))
            if field != "source" {
                faults.append(
                    Fault(
                        .unknownField, at: path.key("text"), "unknown field {\(field)}", fix: "known: source",
                        span: open..<(close + 1)))
            }
            start = close + 1
        }
    }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {}
}

struct TestGrid: Join {
    static let name = "grid"
    static let summary = "Many pictures in one."
    static let inputs: [any AnyPort] = [In<Frame>("inputs", many: true)]
    mutating func process(_ frame: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {}
}

struct TestMask: Transform {
    static let name = "mask"
    static let summary = "Covers parts of the picture."
    var masksPictures: Bool { true }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {}
}

struct TestDecode: Transform {
    typealias Input = Packet
    static let name = "decode"
    static let summary = "Packets to frames."
    static let role: ConverterRole? = .decode
    static let outputs: [any AnyPort] = [Out<Frame>("out")]
    func output(for input: Format) throws -> Format { .frames(.any) }
    mutating func process(_ packet: consuming Packet, to output: inout Output) throws {}
}

struct TestEncode: Transform {
    static let name = "encode"
    static let summary = "Frames to packets."
    static let role: ConverterRole? = .encode
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    func output(for input: Format) throws -> Format { .packets(.jpeg) }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {}
}

struct TestIdentity<Input: Item>: Transform {
    static var name: String { "identity" }
    static var summary: String { "Hands on what it gets." }
    mutating func process(_ item: consuming Input, to output: inout Output) throws {}
}

struct TestHTTP: Sink {
    typealias Input = Packet
    static let name = "http"
    static let summary = "Serves pictures."
    static let inputs: [any AnyPort] = [
        In<Packet>("input", accepts: [.packets(.jpeg)]),
        In<Packet>("preview", optional: true, accepts: [.packets(.jpeg)]),
    ]
    static let lateAfter: Duration? = .seconds(1)
    @Option("The path.") var path: String
    @Option(1...100, "The quality.") var quality = 80
    @Option("Who may see it.") var access: String? = nil
    var resources: [NodeResource] { [NodeResource(.httpPath, path, option: "path")] }
    mutating func consume(_ item: consuming Packet) throws -> Next { .more }
}

struct TestFileSink: Sink {
    typealias Input = Packet
    static let name = "file"
    static let summary = "Writes clips."
    static let keepsHistory = true
    static let inputs: [any AnyPort] = [
        In<Packet>("input", taste: .complete),
        In<Packet>("audio", optional: true, accepts: [.packets(PacketFormat(.aac))]),
    ]
    struct Retention: OptionGroup {
        @Option("Delete what is older.") var maxAge: Duration? = nil
        @Option("Delete the oldest above this.") var maxSize: ByteCount? = nil
    }
    @Option("The pattern of the names.", hasFields: true) var path: String
    @Option("What came before.") var preRoll: Duration = .zero
    @Option("What is kept.") var retention: Retention? = nil
    var resources: [NodeResource] { [NodeResource(.filePattern, path, option: "path")] }
    mutating func consume(_ item: consuming Packet) throws -> Next { .more }
}

struct TestTerminal: Sink {
    static let name = "terminal"
    static let summary = "Shows pictures in the terminal."
    mutating func consume(_ item: consuming Frame) throws -> Next { .more }
}

struct TestLog: Sink {
    typealias Input = Event
    static let name = "log"
    static let summary = "Writes a line an event."
    static let inputs: [any AnyPort] = [In<Event>("input", many: true)]
    mutating func consume(_ item: consuming Event) throws -> Next { .more }
}

struct TestJPEGOnly: Sink {
    typealias Input = Packet
    static let name = "jpegs"
    static let summary = "Takes JPEGs only."
    static let inputs: [any AnyPort] = [In<Packet>("input", accepts: [.packets(.jpeg)])]
    mutating func consume(_ item: consuming Packet) throws -> Next { .more }
}
