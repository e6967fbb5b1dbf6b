/// What a camera says of its streams before it sends them (SDP, RFC 8866). A value.
///
/// What is no SDP in it is passed over: cameras put lines of their own, empty ones, and ones without an equals sign.
package struct SessionDescription: Hashable, Sendable {
    /// One elementary stream.
    package struct Track: Hashable, Sendable {
        /// What a stream carries, by the `m=` line (RFC 8866, section 5.14).
        package enum Kind: String, Sendable { case video, audio, other }
        package var kind: Kind
        /// RTP's number of the coding; below 96 it is fixed by RFC 3551.
        package var payloadType: UInt8
        /// `H264`, `JPEG`, `MPEG4-GENERIC`, in capitals; empty when it is not known.
        package var encoding: String
        /// Ticks a second of its times.
        package var clockRate: Int
        package var channels: Int
        /// What follows `a=fmtp:N`, as it was written; empty when there is none.
        package var parameters: String
        /// What to ask for to set it up.
        package var control: String?
        /// Pictures a second, where it says so.
        package var rate: Double?
    }
    package private(set) var control: String?
    package private(set) var tracks: [Track] = []

    /// At most so many tracks are looked at.
    package static let trackLimit = 32

    package init(_ bytes: [UInt8]) {
        var formats: [[UInt8]] = []
        for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            guard line.count > 2, line[line.startIndex + 1] == UInt8(ascii: "=") else { continue }
            let value = trimmed(line.dropFirst(2))
            switch line.first {
            case UInt8(ascii: "m"):
                guard tracks.count < Self.trackLimit else { return }
                let (track, numbers) = Self.media(value)
                tracks.append(track)
                formats.append(numbers)
            case UInt8(ascii: "a"): attribute(value, formats.last ?? [])
            default: break
            }
        }
    }

    /// `video 0 RTP/AVP 96 97`.
    private static func media(_ value: ArraySlice<UInt8>) -> (Track, [UInt8]) {
        let words = value.split(separator: 0x20)
        let name = words.first.map { lowercased($0) }
        let isRTP = words.count > 2 && lowercased(words[2]).hasPrefix("rtp/")
        let kind: Track.Kind = !isRTP ? .other : name == "video" ? .video : name == "audio" ? .audio : .other
        let numbers = words.dropFirst(3).compactMap { decimal($0).flatMap { UInt8(exactly: $0) } }.filter { $0 < 128 }
        var track = Track(
            kind: kind, payloadType: numbers.first ?? 0, encoding: "", clockRate: kind == .audio ? 8000 : 90_000,
            channels: 1, parameters: "")
        // RFC 3551 section 6; the others come with an rtpmap.
        switch track.payloadType {
        case 0: track.encoding = "PCMU"
        case 8: track.encoding = "PCMA"
        case 26: track.encoding = "JPEG"
        default: break
        }
        return (track, numbers)
    }

    private mutating func attribute(_ value: ArraySlice<UInt8>, _ formats: [UInt8]) {
        let name = lowercased(value.prefix { $0 != UInt8(ascii: ":") })
        let rest = trimmed(value.dropFirst(name.utf8.count + 1))
        let text = String(decoding: rest, as: UTF8.self)
        guard let last = tracks.indices.last else {
            if name == "control", !text.isEmpty { control = text }
            return
        }
        switch name {
        case "control": if tracks[last].control == nil { tracks[last].control = text }
        case "framerate", "x-framerate":
            if let rate = Double(text), rate > 0, rate <= 1000 { tracks[last].rate = rate }
        case "rtpmap":
            let words = rest.split(separator: 0x20, maxSplits: 1)
            guard words.count == 2, decimal(words[0]) == Int(tracks[last].payloadType) else { return }
            let parts = words[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
                trimmed($0)
            }
            tracks[last].encoding = String(decoding: parts[0], as: UTF8.self).uppercased()
            if parts.count > 1, let rate = decimal(parts[1]), (1...10_000_000).contains(rate) {
                tracks[last].clockRate = rate
            }
            if parts.count > 2, let count = decimal(parts[2]), (1...16).contains(count) {
                tracks[last].channels = count
            }
        case "fmtp":
            // Some cameras write another number here than in the line of the media; it is the only one.
            let words = rest.split(separator: 0x20, maxSplits: 1)
            guard words.count == 2, let number = decimal(words[0]),
                number == Int(tracks[last].payloadType) || formats.count == 1 && tracks[last].parameters.isEmpty
            else { return }
            tracks[last].parameters = String(decoding: trimmed(words[1]), as: UTF8.self)
        default: break
        }
    }
}

extension SessionDescription.Track {
    /// A parameter of `a=fmtp`, its name without regard to case; nil when there is none.
    package func parameter(_ name: String) -> String? {
        for pair in Array(parameters.utf8).split(separator: UInt8(ascii: ";")) {
            let pair = trimmed(pair)
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), lowercased(trimmed(pair[..<equals])) == name
            else {
                continue
            }
            return String(decoding: trimmed(pair[(equals + 1)...]), as: UTF8.self)
        }
        return nil
    }
}
