import Foundation
import Glibc
import Testing

@testable import CampipeKit

@Suite("Conformance")
struct ConformanceTests {
    private static let packets = ConformanceInputs { format, size, number in
        guard format.coding == .jpeg else { return nil }
        return (Bytes([0xFF, 0xD8, UInt8(size.width), UInt8(number % 256), 0xFF, 0xD9]), true)
    }

    struct Echo<Input: Item>: Transform {
        static var name: String { "echo" }
        static var summary: String { "Hands on." }
        mutating func process(_ item: consuming Input, to output: inout Output) throws { output.emit(item) }
    }
    struct Tape: Sink {
        static let name = "tape"
        static let summary = "Keeps the last packets."
        @Option(1...100, "How many it keeps.") var length = 10
        private var packets: [Packet] = []
        mutating func consume(_ item: consuming Packet) throws -> Next {
            packets.append(item)
            if packets.count > length { packets.removeFirst() }
            return .more
        }
    }

    @Test(
        "nodes of every contract and kind conform",
        arguments: [
            Registration(source: Counter.self), Registration(transform: Invert.self),
            Registration(transform: Delay.self),
            Registration(join: Stamp.self), Registration(sink: Notebook.self), Registration(sink: Tape.self),
            Registration(transform: Echo<Packet>.self), Registration(transform: Echo<Event>.self),
        ])
    func conforms(registration: Registration) {
        let report = ConformanceSuite.check(registration, inputs: Self.packets)
        #expect(report.isConforming, "\(report)")
        #expect(report.results.map(\.rule) == ContractRule.allCases)
        #expect(report.outcome(.leaksNothing) == .passed && report.outcome(.endsAnywhere) == .passed, "\(report)")
    }

    @Test(
        "an in-place node is seen to copy nothing, and one that holds to trail",
        arguments: [
            (Registration(transform: Invert.self), ContractRule.copiesNoPixel),
            (Registration(transform: Delay.self), .trailsItsWatermark),
            (Registration(transform: Delay.self), .boundsRetention),
            (Registration(transform: Invert.self), .survivesLoss),
            (Registration(transform: Invert.self), .changesFormat),
            (Registration(source: Counter.self), .repeatsItself), (Registration(source: Counter.self), .emitsItsFormat),
        ])
    func passes(registration: Registration, rule: ContractRule) {
        #expect(ConformanceSuite.check(registration, longRun: 100).outcome(rule) == .passed)
    }

    /// Nodes of each contract that break one rule, and the rule.
    private static let broken: [(Registration, ContractRule)] = [
        (Registration(transform: Undescribed.self), .describesItself),
        (Registration(transform: Credulous.self), .refusesBadOptions),
        (Registration(transform: Careless.self), .refusesBadOptions),
        (Registration(transform: Counted.self), .isMadeWithoutEffects),
        (Registration(transform: Hasty.self), .finishesWhatItOpened),
        (Registration(transform: Forgetful.self), .finishesWhatItOpened),
        (Registration(transform: Backwards.self), .ordersTimes),
        (Registration(transform: Anew.self), .ordersTimes),
        (Registration(transform: Shrinking.self), .emitsItsFormat),
        (Registration(transform: Faithful.self), .emitsItsFormat),
        (Registration(transform: Moody.self), .repeatsItself),
        (Registration(transform: Hoarding.self), .boundsRetention),
        (Registration(transform: Dawdling.self), .trailsItsWatermark),
        (Registration(transform: Wistful.self), .trailsItsWatermark),
        (Registration(transform: Copying.self), .copiesNoPixel),
        (Registration(transform: Gapless.self), .takesGaps),
        (Registration(transform: Sulking.self), .takesGaps),
        (Registration(transform: Offended.self), .survivesLoss),
        (Registration(transform: Repeating.self), .endsAnywhere),
        (Registration(transform: Rigid.self), .changesFormat),
        (Registration(transform: Overwhelmed.self), .changesFormat),
        (Registration(transform: Slow.self), .stopsInTime),
        (Registration(transform: Knotted.self), .leaksNothing),
        (Registration(transform: Tiring.self), .leaksNothing),
        (Registration(transform: Talkative.self), .keepsSecrets),

        (Registration(source: Unready.self), .finishesWhatItOpened),
        (Registration(source: Wrapping.self), .ordersTimes),
        (Registration(source: Boastful.self), .emitsItsFormat),
        (Registration(source: Whimsical.self), .repeatsItself),
        (Registration(source: Lingering.self), .stopsInTime),
        (Registration(source: Nostalgic.self), .leaksNothing),
        (Registration(source: Blurting.self), .keepsSecrets),

        (Registration(join: Collecting.self), .boundsRetention),
        (Registration(join: Trailing.self), .trailsItsWatermark),
        (Registration(join: Tracing.self), .copiesNoPixel),
        (Registration(join: Unbending.self), .changesFormat),
        (Registration(join: Entangled.self), .leaksNothing),

        (Registration(sink: Spilling.self), .finishesWhatItOpened),
        (Registration(sink: Seamless.self), .takesGaps),
        (Registration(sink: Heartbroken.self), .survivesLoss),
        (Registration(sink: Completist.self), .endsAnywhere),
        (Registration(sink: Stubborn.self), .changesFormat),
        (Registration(sink: Reluctant.self), .stopsInTime),
        (Registration(sink: Greedy.self), .leaksNothing),
        (Registration(sink: Indiscreet.self), .keepsSecrets),
    ]

    @Test("a broken node fails its rule, and no other", arguments: broken)
    func fails(registration: Registration, rule: ContractRule) {
        let deadline: Duration = rule == .stopsInTime ? .milliseconds(2) : .seconds(5)
        let report = ConformanceSuite.check(registration, deadline: deadline, longRun: 1000)
        #expect(report.failures.map(\.rule) == [rule], "\(report)")
        let opened = [Forgetful.name: Forgetful.opened, Spilling.name: Spilling.opened]
        opened[registration.descriptor.name]?.withLock { $0.forEach { close($0) } }
    }

    @Test("a file left open is noticed though others close as many meanwhile")
    func leakBesideOthers() {
        Self.others.withLock { others in
            for _ in 0..<96 { others.append(Glibc.open("/proc/self/status", O_RDONLY)) }
        }
        let report = ConformanceSuite.check(Registration(sink: Swapping.self), longRun: 1000)
        #expect(report.failures.map(\.rule) == [.finishesWhatItOpened], "\(report)")
        (Self.others.withLock { $0 } + Swapping.opened.withLock { $0 }).forEach { close($0) }
    }

    /// Leaves a file open, and closes one of somebody else.
    private struct Swapping: Sink {
        static let opened = Lock<[Int32]>([])
        static let name = "swapping"
        static let summary = "Leaves a file open as another one is closed."
        mutating func open(_ context: borrowing Context) throws {
            let descriptor = Glibc.open("/dev/null", O_WRONLY)
            Self.opened.withLock { $0.append(descriptor) }
            if let other = ConformanceTests.others.withLock({ $0.popLast() }) { close(other) }
        }
        mutating func consume(_ frame: consuming Frame) throws -> Next { .more }
    }

    private static let others = Lock<[Int32]>([])

    @Test("each rule is broken by a node of the table, and each contract by several")
    func covers() {
        #expect(Set(Self.broken.map(\.1)) == Set(ContractRule.allCases))
        let contracts = Dictionary(grouping: Self.broken, by: \.0.descriptor.contract).mapValues {
            Set($0.map(\.1)).count
        }
        #expect(contracts == [.source: 7, .transform: 17, .join: 5, .sink: 8])
    }

    @Test("the search for leaks tells how many items it saw")
    func longRun() {
        func seen(_ registration: Registration, _ options: Value.ValueMap = [:]) -> Int {
            ConformanceSuite.check(registration, options: options, inputs: Self.packets, longRun: 300).longRun
        }
        #expect(seen(Registration(transform: Invert.self)) == 300)
        #expect(seen(Registration(source: Counter.self), ["count": "1000"]) == 300)
        #expect(seen(Registration(source: Counter.self), ["count": "20"]) == 20)
        #expect(seen(Registration(sink: Notebook.self), ["enough": "40"]) == 40)
    }

    @Test("a rule that does not apply is skipped with its reason")
    func exempts() {
        let report = ConformanceSuite.check(
            Registration(transform: Moody.self), longRun: 10, exempt: [.repeatsItself: "it paints at random"])
        #expect(report.isConforming && report.outcome(.repeatsItself) == .skipped("it paints at random"))
        #expect(report.description.contains("moody MUST 7 "))
    }

    @Test("a node that no input can be made for says so")
    func noInput() {
        let report = ConformanceSuite.check(Registration(sink: Tape.self), inputs: ConformanceInputs { _, _, _ in nil })
        #expect(report.isConforming)
        let formats: Set<Format> = Set(ConformanceInputs().formats(of: In<Packet>("input").descriptor))
        #expect(formats == [.packets(.empty)])
    }

    @Test("the document lists the rules word for word")
    func document() throws {
        let text = try String(contentsOfFile: Self.root + "/docs/node-contract.md", encoding: .utf8)
        for rule in ContractRule.allCases {
            #expect(text.contains("\n\(rule.rawValue). \(rule.sentence)"), "\(rule.id) is not in docs/node-contract.md")
        }
    }

    private static let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
}
