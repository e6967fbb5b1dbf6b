import CampipeKit

/// Days and hours in local time: `mon-fri 22:00-06:00`, `sat,sun`, `07:30-19:00`, one or a list of them. A value.
///
/// Hours that end before they begin go over midnight, and belong to the day on which they begin.
struct AlertSchedule: Hashable, Sendable {
    struct Span: Hashable, Sendable {
        /// 0 is Monday.
        var days: Set<Int>
        /// Minutes of the day; the end does not belong to it, and is behind the next midnight where it is over 1440.
        var minutes: Range<Int>
    }

    private(set) var spans: [Span] = []

    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let day = 24 * 60

    func includes(_ time: DayTime) -> Bool {
        spans.contains { span in
            span.days.contains(time.day) && span.minutes.contains(time.minute)
                || span.days.contains((time.day + 6) % 7) && span.minutes.contains(time.minute + Self.day)
        }
    }

    /// What is wrong with a text.
    struct Problem: Error, Hashable, Sendable {
        var sentence: String
        var fix: String
        /// The part of a word that is meant; nil is all of it.
        var part: Substring?
        /// The characters (Unicode scalars) of the text that are meant; nil is all of it.
        var span: Range<Int>?
    }

    /// - Throws: The first `Problem`, with what would be right.
    static func span(_ text: String) throws(Problem) -> Span {
        var days: Set<Int> = []
        var minutes: Range<Int>?
        let folded = text.lowercased()
        for word in folded.split(whereSeparator: { $0 == " " || $0 == "," }) {
            do throws(Problem) {
                if word.utf8.first.map({ (48...57).contains($0) }) == true {
                    guard minutes == nil else {
                        throw Problem(
                            sentence: "\"\(text.prefix(80))\" has two spans of hours",
                            fix: "write each as an element of a list")
                    }
                    minutes = try hours(word)
                } else {
                    days.formUnion(try Self.days(word))
                }
            } catch {
                var problem = error
                problem.span = place(of: error.part ?? word, in: folded)
                throw problem
            }
        }
        guard !days.isEmpty || minutes != nil else {
            throw Problem(sentence: "no days or hours are given", fix: "write mon-fri 22:00-06:00")
        }
        return Span(days: days.isEmpty ? Set(0..<7) : days, minutes: minutes ?? 0..<day)
    }

    private static func place(of part: Substring, in text: String) -> Range<Int> {
        let start = text.unicodeScalars.distance(from: text.startIndex, to: part.startIndex)
        return start..<(start + part.unicodeScalars.count)
    }

    private static func days(_ word: Substring) throws(Problem) -> Set<Int> {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false)
        var places: [Int] = []
        for end in ends {
            // `monday` is as good as `mon`.
            guard end.utf8.count >= 3, let place = names.firstIndex(where: { end.hasPrefix($0) }),
                ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"][place].hasPrefix(end)
            else {
                throw Problem(
                    sentence: "\"\(end.prefix(40))\" is no day of the week",
                    fix: Nearest.fix(String(end), in: names), part: end)
            }
            places.append(place)
        }
        guard let first = places.first, let last = places.last, places.count <= 2 else {
            throw Problem(sentence: "\"\(word.prefix(40))\" is no span of days", fix: "write mon-fri, or mon,wed,fri")
        }
        // fri-mon goes over the week's end.
        return Set((first...(last < first ? last + 7 : last)).map { $0 % 7 })
    }

    private static func hours(_ word: Substring) throws(Problem) -> Range<Int> {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false).map(minute)
        guard ends.count == 2, let start = ends[0], let end = ends[1], start < day else {
            throw Problem(
                sentence: "\"\(word.prefix(40))\" are no hours", fix: "write them as 22:00-06:00, up to 24:00")
        }
        guard start != end else {
            throw Problem(
                sentence: "\"\(word)\" begins when it ends", fix: "leave the hours out for the whole day")
        }
        return start..<(end < start ? end + day : end)
    }

    /// `06:30`, `24:00`.
    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= day
        else { return nil }
        return hour * 60 + minute
    }
}

extension AlertSchedule: OptionValue {
    static var optionType: OptionType { .either([.text, .list(.text)]) }
    static var optionPlaceholder: AlertSchedule { AlertSchedule() }
    var optionText: String? { nil }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> AlertSchedule? {
        let texts: [(text: String, path: FaultPath)]
        if case .list(let elements) = value {
            guard !elements.isEmpty else {
                faults.append(
                    Fault(
                        .invalidValue, at: path, "the list is empty, so that nothing would be told",
                        fix: "write [mon-fri 22:00-06:00], or delete \"schedule\""))
                return nil
            }
            var read: [(String, FaultPath)] = []
            for (index, element) in elements.enumerated() {
                guard let text = String.read(element, at: path.index(index), into: &faults) else { return nil }
                read.append((text, path.index(index)))
            }
            texts = read
        } else {
            guard let text = String.read(value, at: path, into: &faults) else { return nil }
            texts = [(text, path)]
        }
        var schedule = AlertSchedule()
        for (text, path) in texts {
            do throws(Problem) {
                schedule.spans.append(try span(text))
            } catch {
                faults.append(Fault(.invalidValue, at: path, error.sentence, fix: error.fix, span: error.span))
            }
        }
        return schedule.spans.count == texts.count ? schedule : nil
    }
}
