// fuzz-modules: CPluginABI CampipeKit CampipeConfig
// fuzz-libraries: yaml-0.1
import CampipeConfig
import CampipeKit

// A few options of each kind, so that the fuzzer reaches their readers too.
struct FuzzSource: Source {
    static let name = "camera"
    static let summary = "A source."
    static let outputs: [any AnyPort] = [
        Out<Packet>("out"), Out<Packet>("audio", format: .packets(PacketFormat(.aac))),
    ]
    @Option("Text.") var url: String
    @Option("A secret.") var password: Secret? = nil
    @Option(1...240, "A number.") var fps: Int? = nil
    @Option("A time.") var wait: Duration = .seconds(5)
    mutating func next(to output: inout Output) throws -> Next { .ended }
}

struct FuzzTransform: Join {
    static let name = "overlay"
    static let summary = "A join."
    static let inputs: [any AnyPort] = [
        In<Frame>("input", many: true), In<Event>("events", optional: true, many: true),
    ]
    static let outputs: [any AnyPort] = [Out<Frame>("out"), Out<Event>("events")]
    @Option("A list.") var draw: [Percent] = []
    mutating func process(_ frame: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {}
}

struct FuzzSink: Sink {
    typealias Input = Packet
    static let name = "file"
    static let summary = "A sink."
    struct Retention: OptionGroup {
        @Option("A size.") var maxSize: ByteCount? = nil
    }
    @Option("A path.") var path: String
    @Option("A group.") var retention: Retention? = nil
    var resources: [NodeResource] { [NodeResource(.httpPath, path, option: "path")] }
    mutating func consume(_ item: consuming Packet) throws -> Next { .more }
}

let registry = Registry([
    Registration(source: FuzzSource.self), Registration(join: FuzzTransform.self), Registration(sink: FuzzSink.self),
])
let surroundings = Surroundings(
    variable: { $0 == "URL" ? "http://user:password@host/" : nil },
    secret: { $0 == "pw" ? .success("s3cr3t-text") : .failure(SecretProblem("no such file")) })

/// Reads the bytes as a pipeline file and renders all that is found; the secret must not come out.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let file = PipelineFile(bytes, name: "fuzz.yaml", registry: registry, surroundings: surroundings)
    let text = file.report.text() + file.report.json()
    precondition(!text.contains("s3cr3t-text"), "a secret is shown")
    precondition((file.description == nil) == file.report.hasErrors, "a file is either faulty or described")
    return 0
}
