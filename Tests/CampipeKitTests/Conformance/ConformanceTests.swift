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

    @Test(
        "a broken node fails its rule, and no other",
        arguments: [
            (Registration(transform: Undescribed.self), ContractRule.describesItself),
            (Registration(transform: Credulous.self), .refusesBadOptions),
            (Registration(transform: Counted.self), .isMadeWithoutEffects),
            (Registration(transform: Hasty.self), .finishesWhatItOpened),
            (Registration(transform: Forgetful.self), .finishesWhatItOpened),
            (Registration(transform: Backwards.self), .ordersTimes),
            (Registration(transform: Shrinking.self), .emitsItsFormat),
            (Registration(transform: Moody.self), .repeatsItself),
            (Registration(transform: Hoarding.self), .boundsRetention),
            (Registration(transform: Dawdling.self), .trailsItsWatermark),
            (Registration(transform: Copying.self), .copiesNoPixel),
            (Registration(transform: Gapless.self), .takesGaps),
            (Registration(transform: Offended.self), .survivesLoss),
            (Registration(transform: Repeating.self), .endsAnywhere),
            (Registration(transform: Rigid.self), .changesFormat), (Registration(transform: Slow.self), .stopsInTime),
            (Registration(transform: Knotted.self), .leaksNothing),
            (Registration(transform: Talkative.self), .keepsSecrets),
        ])
    func fails(registration: Registration, rule: ContractRule) {
        let deadline: Duration = rule == .stopsInTime ? .milliseconds(2) : .seconds(5)
        let report = ConformanceSuite.check(registration, deadline: deadline, longRun: 1000)
        #expect(report.failures.map(\.rule) == [rule], "\(report)")
        if registration.descriptor.name == Forgetful.name {
            Forgetful.opened.withLock { $0.forEach { close($0) } }
        }
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
