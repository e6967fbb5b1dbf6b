import CampipeKit
import CampipeNodes
import Foundation
import Testing

@testable import CampipeApp

/// A sink with every kind of thing that a page tells.
private struct Shelf<Input: Item>: Sink {
    static var name: String { "shelf" }
    static var summary: String { "Keeps things | for a while." }
    static var execution: Execution { .ownThread }
    static var lateAfter: Duration? { .seconds(2) }
    static var inputs: [any AnyPort] { [In<Input>("input", many: true), In<Event>("labels", optional: true)] }

    struct Limits: OptionGroup {
        @Option("How long it keeps them.") var age: Duration = .seconds(5)
        @Option("How much it keeps.") var size: ByteCount? = nil
    }
    enum Order: String, OptionChoice { case newest, oldest }

    @Option("What stands on it.") var label: String
    @Option(1...9, "How many boards.") var boards = 3
    @Option("What comes first.") var order: Order = .newest
    @Option("Its key.") var key: Secret? = nil
    @Option("What goes when.") var limits = Limits()

    mutating func consume(_ item: consuming Input) throws -> Next { .more }
}

@Suite("The page of a node")
struct NodePageTests {
    private static let registry = Registry([
        Registration(sink: Shelf<Frame>.self), Registration(sink: Shelf<Packet>.self),
    ])
    private let page: NodePage

    init() throws { page = NodePage(try #require(NodeCatalogue(Self.registry)["shelf"].first)) }

    @Test("as text, Markdown and JSON it reads as kept")
    func golden() throws {
        let plain = TerminalStyle(isTerminal: false, environment: [:])
        for (name, text) in [
            ("node.txt", page.text(plain)), ("node.md", page.markdown), ("node.json", page.json + "\n"),
        ] {
            #expect(try CampipeAppTests.golden("Output/\(name)", text) == text)
        }
    }

    @Test("the kinds of one type are one entry, and what each takes stands there once")
    func kinds() {
        #expect(NodeCatalogue(Self.registry).entries.count == 1)
        #expect(page.markdown.components(separatedBy: "`boards`").count == 2)
    }

    @Test("programs can read the page of every node there is", arguments: NodeCatalogue(BuiltInNodes.registry).names)
    func json(name: String) throws {
        let result = Captured.run(["inspect", name, "--format", "json"])
        let pages = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
        #expect(!pages.isEmpty && pages.allSatisfy { $0["name"] as? String == name })
        for page in pages {
            let options = try #require(page["options"] as? [[String: Any]])
            #expect(options.allSatisfy { ($0["summary"] as? String)?.isEmpty == false })
        }
    }
}
