// fuzz-modules: CPluginABI CSpawn CampipeKit CampipeProcess
//
// Fuzzes what a child may say: headers, their JSON, and what the conversation makes of them, as a transform and a source.
//
// Found to be wrong: a trap, a message beyond a limit that is admitted, or a place outside the child's memory.
@testable import CampipeKit
@testable import CampipeProcess

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChild(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: count))
    let outputs = [Out<Frame>("out").descriptor, Out<Packet>("coded").descriptor, Out<Event>("events").descriptor]
    for isSource in [false, true] {
        var speech = ChildSpeech(outputs: outputs, isSource: isSource, align: isSource ? 64 : 1, memory: 1000..<5000)
        var times = TimeCheck()
        times.gave(ItemTimes(captured: .zero + .seconds(100), pts: MediaTime(ticks: 9000, timebase: .rtpVideo)))
        if isSource { speech.grant(1000) } else { for _ in 0..<100 { speech.asked() } }
        var place = 0
        while let header = next(bytes, &place) {
            guard (try? speech.admit(header)) != nil else { break }
            let end = min(bytes.count, place + header.textCount)
            guard let meaning = try? speech.take(header, text: bytes[place..<end]) else { break }
            place = end
            guard case .item(let item) = meaning else { continue }
            precondition(header.dataCount <= MessageHeader.dataLimit, "more data than a message may have")
            if header.flags.contains(.shared) {
                precondition(header.place >= 1000 && Int(header.place) + header.dataCount <= 5000, "outside its memory")
            }
            if let layout = item.layout { precondition(layout.byteCount == header.dataCount, "another size") }
            if isSource {
                _ = times.ofSource(header, timebase: .rtpVideo, isLive: bytes.count % 2 == 0, now: .zero + .seconds(9))
            } else if let found = times.ofTransform(header, port: item.port, isInOrder: item.port == 0) {
                precondition(found.captured <= .zero + .seconds(100), "captured after its input")
            }
            if item.format == .events {
                _ = try? EventText.event(item.text, captured: .zero, node: "node").boxes
            }
        }
    }
    return 0
}

private func next(_ bytes: [UInt8], _ place: inout Int) -> MessageHeader? {
    guard bytes.count - place >= MessageHeader.byteCount,
        let header = try? MessageHeader(bytes[place..<place + MessageHeader.byteCount])
    else { return nil }
    place += MessageHeader.byteCount
    return header
}
