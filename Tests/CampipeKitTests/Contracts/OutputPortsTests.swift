import Testing

@testable import CampipeKit

@Suite("Outputs")
struct OutputPortsTests {
    private static let events = Out<Event>("events")
    private let ports = OutputPorts([Out<Frame>("out").descriptor, Self.events.descriptor])

    /// Items and controls of an output, in order.
    private func taken(_ port: Int) -> [Emission] {
        var record = EmissionRecord(ports.ports[port].descriptor)
        record.take(&ports.ports[port])
        return record.emissions
    }

    @Test("a format is announced before the first item and whenever it changes")
    func formats() {
        var output = Output(ports)
        let small = Pictures.frame(1)
        output.emit(small)
        output.emit(Pictures.frame(2))
        let large = Pictures.frame(3, size: Size(32, 32))
        output.emit(large)
        #expect(
            taken(0) == [
                .format(.frames(small.format)), .item(Pictures.at(1)), .item(Pictures.at(2)),
                .format(.frames(large.format)), .item(Pictures.at(3)),
            ])
        #expect(taken(1).isEmpty)
    }

    @Test("a format told beforehand is not told again by the first item")
    func announced() {
        var output = Output(ports)
        let frame = Pictures.frame(1)
        output.format(.frames(frame.format))
        output.format(.frames(frame.format))
        output.emit(frame)
        #expect(taken(0) == [.format(.frames(frame.format)), .item(Pictures.at(1))])
    }

    @Test("gaps and the end stand in order between the items, on their own output")
    func controls() {
        var output = Output(ports)
        let gap = Gap(.lost, count: 0, at: Pictures.at(1))
        output.gap(gap, on: 1)
        output.emit(Pictures.event(2), on: Self.events)
        output.gap(gap, on: 1)
        output.gap(gap, on: 1)
        ports.append(end: nil)
        #expect(
            taken(1) == [.gap(gap), .format(.events), .item(Pictures.at(2)), .gap(gap), .gap(gap), .end(nil)])
        #expect(taken(0) == [.end(nil)])
    }

    @Test("what is made of an item inherits its marks, without changing an item that somebody else holds")
    func marks() {
        var output = Output(ports)
        ports.inherited = [.exempt, .live]
        let kept = Pictures.frame(1)
        output.emit(kept)
        output.emit(Pictures.frame(2))
        ports.inherited = []
        output.emit(Pictures.frame(3))
        let items = (0..<3).map { ports.ports[0].items[$0]?.flags.contains([.exempt, .live]) }
        #expect(items == [true, true, false])
        #expect(kept.storage.flags.isEmpty)
    }

    @Test("it counts what the turn and the output emitted, and tells who is wanted")
    func counts() {
        var output = Output(ports)
        output.emit(Pictures.frame(1))
        output.emit(Pictures.event(1), on: Self.events)
        #expect(output.count == 2)
        #expect(ports.ports.map(\.emitted) == [1, 1])
        ports.ports[1].isWanted = false
        #expect(output.isWanted() && !output.isWanted(Self.events) && !output.isWanted(7))
    }
}

@Suite("Contracts")
struct ContractTests {
    @Test("merged gaps count both and reach from the first to the last")
    func gaps() {
        let merged = Gap(.full, count: 2, at: Pictures.at(5)).merged(with: Gap(.late, at: Pictures.at(3)))
        #expect(
            merged
                == Gap(count: 3, reasons: [.init(.full), .init(.late)], from: Pictures.at(3), through: Pictures.at(5)))
        #expect(merged == Gap(.late, at: Pictures.at(3)).merged(with: Gap(.full, count: 2, at: Pictures.at(5))))
        #expect(merged.reasons.list == [.full, .late] && !merged.isLost)
        #expect(merged.merged(with: Gap(.lost, count: 0, at: .zero)).isLost)
        #expect(DropReason.noDemand.name == "no_demand" && DropReason.notJPEG.name == "not_jpeg")
        #expect(Set(DropReason.allCases.map(\.rawValue)).count == DropReason.allCases.count)
    }

    @Test(
        "wants are rounded up to steps, so that near ones share a chain",
        arguments: [
            (Want(maxWidth: 161, maxRate: 3, quality: 71), Want(maxWidth: 320, maxRate: 5, quality: 80)),
            (Want(maxWidth: 160, maxRate: 30, quality: 80), Want(maxWidth: 160, maxRate: 30, quality: 80)),
            (Want(maxWidth: 4000, maxRate: 60, quality: 200), Want(quality: 100)),
            (Want(maxRate: 0.2, quality: 1), Want(maxRate: 1, quality: 10)), (.all, .all),
        ])
    func wants(want: Want, rounded: Want) { #expect(want.rounded == rounded) }

    @Test(
        "what is open in a format matches anything of its kind",
        arguments: [
            (Format.frames(.any), Format.frames(.gray8), true), (.frames(.gray8), .frames(.yuv420), false),
            (.frames(FrameFormat(nil, size: Size(4, 4))), .frames(FrameFormat(.gray8, size: Size(4, 5))), false),
            (.packets(.any), .packets(.jpeg), true), (.packets(.jpeg), .packets(.h264), false),
            (.packets(.jpeg), .frames(.any), false), (.events, .events, true),
        ])
    func formats(wanted: Format, found: Format, accepted: Bool) { #expect(wanted.accepts(found) == accepted) }

    @Test("formats are shown as people write them")
    func descriptions() {
        #expect(Format.frames(FrameFormat(.yuv420, size: Size(640, 360))).description == "frames yuv420 640x360")
        #expect(Format.packets(.jpeg).description == "packets jpeg" && Format.events.description == "events")
    }

    @Test("services are found by their type, and a missing one is a sentence")
    func services() throws {
        var services = Services()
        services.add(7, as: Int.self)
        #expect(try services.get(Int.self) == 7)
        let error = #expect(throws: CampipeError.self) { try services.get(String.self) }
        #expect(error?.kind == .configuration && error?.message == "there is no service String here")
    }
}
