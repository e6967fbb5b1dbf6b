import CampipeKit

/// One value put into the pipeline's description from the command line: `transforms.small.width=320`.
struct Assignment: Hashable, Sendable, OptionValue {
    /// Where it goes.
    var path: FaultPath
    /// The text behind the first `=`, as it would stand in the file.
    var text: String

    /// The path with its list positions as steps of their own: `sources.front.zones.2`.
    var place: String {
        path.steps.map { step in
            switch step {
            case .key(let name): name
            case .index(let position): String(position)
            }
        }.joined(separator: ".")
    }

    static var optionType: OptionType { .text }
    static var optionPlaceholder: Assignment { Assignment(path: .root, text: "") }
    var optionText: String? { "\(path)=\(text)" }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Assignment? {
        guard let text = String.read(value, at: path, into: &faults) else { return nil }
        let example = "write a path and a value, such as transforms.small.width=320"
        // What stands behind the path may be a password, whatever stands between them.
        let place = text.prefix { $0.isLetter || $0.isNumber || "_-./*[]".contains($0) }
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            faults.append(
                Fault(
                    .invalidValue, at: path, "\"\(place)\" has no value",
                    fix: place.isEmpty || place == text
                        ? example : "write = between the path and the value: \(place)=..."))
            return nil
        }
        guard let target = FaultPath(text: text[..<equals]) else {
            faults.append(
                Fault(
                    .invalidValue, at: path,
                    place == text[..<equals] ? "\"\(place)\" is not a path" : "what stands before the = is not a path",
                    fix: example))
            return nil
        }
        return Assignment(path: target, text: String(text[text.utf8.index(after: equals)...]))
    }
}

extension FaultPath {
    /// Reads what `description` writes: `sources.front.zones[2]`. Nil for anything else.
    init?(text: some StringProtocol) {
        var steps: [Step] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            guard let name = pieces.first, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "]")) else { return nil }
            steps.append(.key(String(name)))
            for piece in pieces.dropFirst() {
                guard piece.last == "]", let position = Int(piece.dropLast()), position >= 0 else { return nil }
                steps.append(.index(position))
            }
        }
        self.init(steps)
    }
}

/// A picture's size in pixels: `1280x720`.
struct PictureSize: Hashable, Sendable, OptionValue {
    var width: Int
    var height: Int

    static var optionType: OptionType { .text }
    static var optionPlaceholder: PictureSize { PictureSize(width: 0, height: 0) }
    var optionText: String? { "\(width)x\(height)" }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> PictureSize? {
        guard let text = String.read(value, at: path, into: &faults) else { return nil }
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1] else {
            faults.append(
                Fault(.invalidValue, at: path, "\"\(text)\" is not a size", fix: "write WIDTHxHEIGHT, such as 1280x720")
            )
            return nil
        }
        guard (16...8192).contains(width), (16...8192).contains(height) else {
            faults.append(
                Fault(.outOfRange, at: path, "\"\(text)\" is out of range", fix: "accepted: 16x16 to 8192x8192"))
            return nil
        }
        return PictureSize(width: width, height: height)
    }
}

/// What `--log-level` takes; the least that is written.
enum LogLevel: String, OptionChoice { case trace, debug, info, warning, error }

/// What `campipe plugin new --kind` takes.
enum PluginKind: String, OptionChoice { case source, transform, join, sink }

/// What `campipe plugin new --language` takes.
enum PluginLanguage: String, OptionChoice { case swift, python }

/// What `--log-format` takes.
enum LogFormat: String, OptionChoice { case text, json }

/// What `campipe graph --format` takes.
enum GraphFormat: String, OptionChoice { case text, dot, json }

/// What `campipe inspect --format` takes.
enum InspectFormat: String, OptionChoice { case text, markdown, json }
