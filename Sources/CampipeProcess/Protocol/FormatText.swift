package import CampipeKit

/// What a port carries, as the JSON of a message says it.
package enum FormatText {
    /// - Parameter align: What rows of frames are padded to.
    package static func map(_ format: Format, align: Int) -> [String: EventValue] {
        switch format {
        case .events: return ["kind": "events"]
        case .frames(let frames):
            var map: [String: EventValue] = [
                "kind": "frames", "range": .text(frames.range.rawValue), "matrix": .text(frames.matrix.rawValue),
                "align": .integer(align),
            ]
            map["pixel"] = frames.pixel.map { .text($0.rawValue) }
            map["rate"] = frames.rate.map(EventValue.number)
            add(frames.size, to: &map)
            return map
        case .packets(let packets):
            var map: [String: EventValue] = [
                "kind": "packets",
                "timebase": .list([
                    .integer(Int(packets.timebase.numerator)), .integer(Int(packets.timebase.denominator)),
                ]),
            ]
            map["coding"] = packets.coding.map { .text($0.rawValue) }
            map["codec"] = packets.codecName.map(EventValue.text)
            map["rate"] = packets.rate.map(EventValue.number)
            map["sample_rate"] = packets.sampleRate.map(EventValue.integer)
            map["channels"] = packets.channels.map(EventValue.integer)
            map["parameter_sets"] = packets.parameterSets.map { .text(hexadecimal($0.array)) }
            if packets.keyframesOnly { map["keyframes_only"] = true }
            add(packets.size, to: &map)
            return map
        }
    }

    /// Reads a format of what a port of this kind carries.
    ///
    /// - Throws: `.badData` when it is none, or leaves open what frames cannot do without.
    package static func format(_ map: [String: EventValue], of kind: ItemKind) throws(CampipeError) -> Format {
        if let said = map.text("kind"), said != kind.plural {
            throw CampipeError(.badData, "it announces \(said) on a port of \(kind.plural)")
        }
        switch kind {
        case .event: return .events
        case .frame:
            guard let pixel = map.text("pixel").flatMap(PixelFormat.init(rawValue:)), let size = size(map) else {
                throw CampipeError(
                    .badData, "it announces frames without all of pixel, width and height",
                    fix: "pixel is one of \(PixelFormat.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return .frames(
                FrameFormat(
                    pixel, size: size, rate: rate(map),
                    range: map.text("range").flatMap(ColorRange.init(rawValue:)) ?? .full,
                    matrix: map.text("matrix").flatMap(ColorMatrix.init(rawValue:)) ?? .bt601))
        case .packet:
            guard let coding = map.text("coding").flatMap(Coding.init(rawValue:)) else {
                throw CampipeError(
                    .badData, "it announces packets without a coding that is known",
                    fix: "coding is one of \(Coding.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            var packets = PacketFormat(
                coding, size: size(map), rate: rate(map), timebase: timebase(map) ?? .nanoseconds)
            packets.codecName = map.text("codec")
            packets.sampleRate = map.integer("sample_rate").flatMap { (1...1_000_000).contains($0) ? $0 : nil }
            packets.channels = map.integer("channels").flatMap { (1...64).contains($0) ? $0 : nil }
            packets.parameterSets = try map.text("parameter_sets").map(parameterSets)
            packets.keyframesOnly = map.flag("keyframes_only") ?? false
            return .packets(packets)
        }
    }

    private static func add(_ size: Size?, to map: inout [String: EventValue]) {
        guard let size else { return }
        map["width"] = .integer(size.width)
        map["height"] = .integer(size.height)
    }

    private static func size(_ map: [String: EventValue]) -> Size? {
        guard let width = map.integer("width"), let height = map.integer("height"),
            (1...PixelLayout.sideLimit).contains(width), (1...PixelLayout.sideLimit).contains(height)
        else { return nil }
        return Size(width, height)
    }

    private static func rate(_ map: [String: EventValue]) -> Double? {
        map.number("rate").flatMap { $0 > 0 && $0 <= 1000 ? $0 : nil }
    }

    private static func timebase(_ map: [String: EventValue]) -> Timebase? {
        guard let list = map.list("timebase"), list.count == 2, case .integer(let numerator) = list[0],
            case .integer(let denominator) = list[1], let above = Int32(exactly: numerator),
            let below = Int32(exactly: denominator), above > 0, below > 0
        else { return nil }
        return Timebase(above, below)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func parameterSets(_ text: String) throws(CampipeError) -> Bytes {
        var bytes: [UInt8] = []
        var high: UInt8?
        for letter in text.utf8 {
            let digit: UInt8
            switch letter {
            case 48...57: digit = letter - 48
            case 97...102: digit = letter - 87
            case 65...70: digit = letter - 55
            default: throw CampipeError(.badData, "its parameter_sets are not hexadecimal")
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return Bytes(bytes)
    }
}
