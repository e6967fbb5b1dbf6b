import CampipeKit
import CampipeMedia

/// The newest seconds of a stream for players that ask for piece after piece (HLS; RFC 8216 and
/// draft-pantos-hls-rfc8216bis). A value without clock.
///
/// A segment begins at a keyframe and lasts a second at least; where keyframes are further apart than the first
/// segment's were, it is cut without one. Within segments there are parts of about a second (section 4.4.4.9), so that a
/// player that knows them need not wait for the end of a long one.
struct HLSWindow: Sendable {
    /// What a player asks for, by its name below the path.
    enum Piece: Hashable, Sendable {
        /// `index.m3u8`, held back until a part of a segment is there (section 6.2.5.2); nil asks for what there is.
        case playlist(segment: Int?, part: Int?)
        /// `init.mp4` is the newest, `init-N.mp4` the one that came with segment N.
        case initialization(Int?)
        case segment(Int)
        case part(Int, Int)
    }

    enum Answer: Sendable {
        case ready([Bytes])
        case text(String)
        /// It is not there yet.
        case later
        /// It is gone, or never will be.
        case none
    }

    private struct Part: Sendable {
        var fragments: [Fragment]
        var end: Int64?
        var start: Int64 { fragments[0].time }
        var seconds: Double { Double((end ?? start) - start) / Double(FragmentMuxer.timescale) }
    }

    private struct Segment: Sendable {
        var number: Int
        /// The number of the segment that its initialization came with.
        var initialization: Int
        var isDiscontinuous: Bool
        var parts: [Part]
        var end: Int64?
        var start: Int64 { parts[0].start }
        var seconds: Double { Double((end ?? start) - start) / Double(FragmentMuxer.timescale) }
        var bytes: [Bytes] { parts.flatMap { $0.fragments.flatMap { [$0.head, $0.body] } } }
    }

    private static let second = FragmentMuxer.timescale
    /// A keyframe a little early still ends a segment.
    private static let shortest = second * 9 / 10
    private static let longestPart = second * 105 / 100
    /// A first segment whose next keyframe does not come.
    private static let longestFirst = second * 4
    /// A pause longer than this is a break in the stream.
    private static let pause = second * 3
    private static let listed = 6
    /// Of those that have left the list, so that who has just read it still gets them (section 6.2.2).
    private static let kept = 2
    private static let maxBytes = 32 << 20

    /// Whole ones, and the one that is being made, last.
    private var segments: [Segment] = []
    private var initializations: [Int: Bytes] = [:]
    private var current: Bytes?
    private var next: Int
    private var breaks = false
    /// How many breaks went with segments that were let go.
    private var pastBreaks = 0
    /// Both stay as the first segment was, since players go by them (section 4.4.3.1).
    private var target: Int?
    private var partTarget = 1.1

    /// - Parameter first: The number of the first segment; it should not have been used before, or caches have others by
    ///   the same names.
    init(first: Int) { next = first }

    /// The number that the next segment will have.
    var nextNumber: Int { next }

    private var whole: ArraySlice<Segment> { segments.last?.end == nil ? segments.dropLast() : segments[...] }
    private var open: Segment? { segments.last?.end == nil ? segments.last : nil }

    /// What follows is for another initialization, or the first.
    mutating func begin(_ initialization: Bytes) {
        endSegment(at: nil)
        breaks = current != nil
        current = initialization
    }

    /// The stream was interrupted.
    mutating func interrupt() {
        endSegment(at: nil)
        breaks = breaks || !segments.isEmpty
    }

    /// Adds the next picture, or sound, which goes with the pictures that are there.
    mutating func append(_ fragment: Fragment) {
        if fragment.isSound {
            guard let segment = open else { return }
            segments[segments.count - 1].parts[segment.parts.count - 1].fragments.append(fragment)
            return
        }
        if let last = open?.parts.last?.fragments.last, fragment.time - last.time > Self.pause { interrupt() }
        guard let segment = open, let part = segment.parts.last else {
            if fragment.isKey { beginSegment(fragment) }
            return
        }
        let limit = target.map { Int64($0) * Self.second + Self.second * 45 / 100 } ?? Self.longestFirst
        if fragment.isKey && fragment.time - segment.start >= Self.shortest
            || fragment.time + fragment.duration - segment.start > limit
        {
            endSegment(at: fragment.time)
            beginSegment(fragment)
        } else if fragment.time + fragment.duration - part.start > Self.longestPart {
            segments[segments.count - 1].parts[segment.parts.count - 1].end = fragment.time
            segments[segments.count - 1].parts.append(Part(fragments: [fragment]))
        } else {
            segments[segments.count - 1].parts[segment.parts.count - 1].fragments.append(fragment)
        }
    }

    private mutating func beginSegment(_ fragment: Fragment) {
        guard let current else { return }
        let isNew = segments.last.flatMap { initializations[$0.initialization] } !== current
        if isNew { initializations[next] = current }
        segments.append(
            Segment(
                number: next, initialization: isNew ? next : segments.last?.initialization ?? next,
                isDiscontinuous: breaks, parts: [Part(fragments: [fragment])]))
        next += 1
        breaks = false
    }

    /// - Parameter time: When the next picture is shown; nil where there is none, and the last one's own length counts.
    private mutating func endSegment(at time: Int64?) {
        guard let segment = open, let last = segment.parts.last?.fragments.last else { return }
        let end = time ?? last.time + last.duration
        segments[segments.count - 1].end = end
        segments[segments.count - 1].parts[segment.parts.count - 1].end = end
        if target == nil {
            target = max(1, Int((segments[segments.count - 1].seconds).rounded()))
            let longest = segments[segments.count - 1].parts.map(\.seconds).max() ?? 1
            partTarget = max(partTarget, longest)
        }
        var bytes = segments.reduce(0) { $0 + $1.bytes.reduce(0) { $0 + $1.count } }
        while segments.count > Self.listed + Self.kept || bytes > Self.maxBytes && segments.count > 3 {
            let gone = segments.removeFirst()
            bytes -= gone.bytes.reduce(0) { $0 + $1.count }
            if gone.isDiscontinuous { pastBreaks += 1 }
        }
        initializations = initializations.filter { number, bytes in
            bytes === current || segments.contains { $0.initialization == number }
        }
    }

    // MARK: What players ask for

    func answer(_ piece: Piece) -> Answer {
        switch piece {
        case .playlist(let segment, let part): playlist(segment, part)
        case .initialization(nil): current.map { .ready([$0]) } ?? .later
        case .initialization(let number?): initializations[number].map { .ready([$0]) } ?? .none
        case .segment(let number): self.segment(number)
        case .part(let number, let part): self.part(number, part)
        }
    }

    private func segment(_ number: Int) -> Answer {
        if let found = segments.first(where: { $0.number == number }) {
            return found.end == nil ? .later : .ready(found.bytes)
        }
        return number == next ? .later : .none
    }

    private func part(_ number: Int, _ part: Int) -> Answer {
        guard let found = segments.first(where: { $0.number == number }) else {
            return number == next && part == 0 ? .later : .none
        }
        guard found.parts.indices.contains(part), found.parts[part].end != nil else {
            return found.end == nil && part <= found.parts.count ? .later : .none
        }
        return .ready(found.parts[part].fragments.flatMap { [$0.head, $0.body] })
    }

    private func playlist(_ number: Int?, _ part: Int?) -> Answer {
        guard let newest = whole.last else { return .later }
        if let number, number > newest.number {
            // Further ahead than a player can know of.
            guard number <= newest.number + 2 else { return .none }
            let made = segments.first { $0.number == number }?.parts.filter { $0.end != nil }.count ?? 0
            guard let part, made > part else { return .later }
        }
        return .text(text)
    }

    private var text: String {
        let shown = whole.suffix(Self.listed)
        let target = target ?? 1
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(target)",
            "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=\(Self.decimal(partTarget * 3)),"
                + "HOLD-BACK=\(target * 3)",
            "#EXT-X-PART-INF:PART-TARGET=\(Self.decimal(partTarget))",
            "#EXT-X-MEDIA-SEQUENCE:\(shown.first?.number ?? next)",
            "#EXT-X-DISCONTINUITY-SEQUENCE:\(pastBreaks + whole.dropLast(shown.count).count(where: \.isDiscontinuous))",
        ]
        var initialization: Int?
        func head(_ segment: Segment) {
            if segment.isDiscontinuous { lines.append("#EXT-X-DISCONTINUITY") }
            guard initialization != segment.initialization else { return }
            initialization = segment.initialization
            lines.append("#EXT-X-MAP:URI=\"init-\(segment.initialization).mp4\"")
        }
        func parts(_ segment: Segment) {
            for (index, part) in segment.parts.enumerated() where part.end != nil {
                lines.append(
                    "#EXT-X-PART:DURATION=\(Self.decimal(part.seconds)),URI=\"part-\(segment.number)-\(index).m4s\""
                        + (part.fragments[0].isKey ? ",INDEPENDENT=YES" : ""))
            }
        }
        for segment in shown {
            head(segment)
            // Near the end only (section 4.4.4.9).
            if segment.number >= (shown.last?.number ?? 0) - 2 { parts(segment) }
            lines += ["#EXTINF:\(Self.decimal(segment.seconds)),", "seg-\(segment.number).m4s"]
        }
        if let open {
            head(open)
            parts(open)
            lines.append("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"part-\(open.number)-\(open.parts.count - 1).m4s\"")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Seconds with five places.
    private static func decimal(_ seconds: Double) -> String {
        let number = Int((seconds * 100_000).rounded())
        let rest = String(100_000 + number % 100_000).dropFirst()
        return "\(number / 100_000).\(rest)"
    }
}

extension HLSWindow.Piece {
    /// - Returns: nil when there is no such name.
    init?(_ name: String, _ query: (String) -> String?) {
        func number(_ text: Substring) -> Int? { text.utf8.count < 16 ? Int(text) : nil }
        if name == "index.m3u8" {
            let (segment, part) = (query("_HLS_msn"), query("_HLS_part"))
            self = .playlist(segment: segment.flatMap { Int($0) }, part: part.flatMap { Int($0) })
        } else if name == "init.mp4" {
            self = .initialization(nil)
        } else if name.hasPrefix("init-"), name.hasSuffix(".mp4"), let found = number(name.dropFirst(5).dropLast(4)) {
            self = .initialization(found)
        } else if name.hasPrefix("seg-"), name.hasSuffix(".m4s"), let found = number(name.dropFirst(4).dropLast(4)) {
            self = .segment(found)
        } else if name.hasPrefix("part-"), name.hasSuffix(".m4s") {
            let numbers = name.dropFirst(5).dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
            guard numbers.count == 2, let segment = number(numbers[0]), let part = number(numbers[1]) else {
                return nil
            }
            self = .part(segment, part)
        } else {
            return nil
        }
    }
}
