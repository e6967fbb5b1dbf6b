import CampipeKit
import CampipeMedia

/// Shows several streams side by side in one picture, at a rate of its own.
struct Grid: Mixer {
    static let name = "grid"
    static let summary = "Shows many cameras side by side in one picture."
    static let inputs: [any AnyPort] = [In<Frame>("inputs", many: true, counts: 2...36)]
    static let outputs: [any AnyPort] = [Out<Frame>("out", format: .frames(.yuv420))]
    static let lateAfter: Duration? = .milliseconds(500)

    @Option(16...7680, "Pixels across.") var width = 1280
    @Option(16...4320, "Pixels down.") var height = 720
    @Option(0.1...60, "Pictures a second.") var fps = 10.0
    @Option(1...36, "Cells in a row; left out, as many as make the pictures largest.") var columns: Int? = nil
    @Option("How a picture fits its cell: bars, cut edges, or skewed.") var fit = FitChoice.contain
    @Option("What stands in the cells: the cameras' names, none, or a list of texts.") var labels = GridLabels.names

    private var painter: GridPainter?

    var rate: Double { fps }

    var format: Format { .frames(FrameFormat(.yuv420, size: Size(width, height), rate: fps)) }

    /// Each picture as large as its cell, decoded no larger than that needs.
    func want(_ downstream: Want, ofEachOf count: Int) -> Want {
        let layout = GridLayout(max(1, count), in: Size(width, height), columns: columns)
        return Want(maxWidth: layout.widest, maxRate: min(fps, downstream.maxRate ?? fps))
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        for (key, side) in [("width", width), ("height", height)] where side % 2 != 0 {
            faults.append(
                Fault(
                    .invalidValue, at: path.key(key), "\(key) is an even number, since colour is kept for pairs",
                    fix: "write \(side + 1)"))
        }
    }

    func check(inputs: [String: [String]], at path: FaultPath, into faults: inout [Fault]) {
        let ids = inputs["inputs"] ?? []
        guard case .texts(let texts) = labels, !ids.contains(where: { $0.utf8.contains(UInt8(ascii: "*")) }),
            texts.count > ids.count, !ids.isEmpty
        else { return }
        faults.append(
            Fault(
                .invalidValue, at: path.key("labels"), "there are \(texts.count) labels for \(ids.count) inputs",
                fix: "write one for each input, in their order"))
    }

    mutating func open(_ context: borrowing Context) throws {
        let feeds = context.feeds
        painter = GridPainter(
            GridLayout(max(1, feeds.count), in: Size(width, height), columns: columns), size: Size(width, height),
            names: labels.texts(for: feeds), isOff: feeds.map(\.isOff), fit: fit.media, rate: fps,
            painter: (try? context.service((any StillPainter).self)) ?? StillPictures(), pool: context.pool)
    }

    mutating func mix(_ parts: borrowing Parts, at instant: Instant, to output: inout Output) throws {
        guard let painter else { return }
        for index in 0..<min(parts.count, painter.count) {
            try painter.take(parts.newest(index, as: Frame.self), parts.condition(index), at: instant, index)
        }
        output.emit(painter.picture(at: instant))
    }

    mutating func finish() throws { painter = nil }
}

/// What stands in the cells of a grid.
enum GridLabels: Hashable, Sendable {
    case names
    case none
    /// In the inputs' order.
    case texts([String])

    /// The text of each cell; empty where none is to stand.
    func texts(for feeds: [Feed]) -> [String] {
        switch self {
        case .none: return feeds.map { _ in "" }
        case .texts(let texts): return feeds.indices.map { $0 < texts.count ? texts[$0] : "" }
        case .names:
            // Two of one camera are told apart by the nodes that are named.
            let names = feeds.map { $0.camera ?? $0.source }
            return feeds.indices.map { index in
                names.count { $0 == names[index] } > 1 ? feeds[index].id : names[index]
            }
        }
    }
}

extension GridLabels: OptionValue {
    static var optionType: OptionType { .either([.choice(["names", "none"]), .list(.text)]) }
    static var optionPlaceholder: GridLabels { .names }
    var optionText: String? {
        switch self {
        case .names: "names"
        case .none: "none"
        case .texts(let texts): texts.optionText
        }
    }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> GridLabels? {
        if case .list = value { return [String].read(value, at: path, into: &faults).map { .texts($0) } }
        guard case .scalar(let scalar) = value, !scalar.isNull else {
            faults.append(
                Fault(
                    .wrongKind, at: path, "found \(value.kindText), expected names, none, or a list of texts",
                    fix: "write names, none, or a list such as [Front, Yard]"))
            return nil
        }
        switch scalar.text {
        case "names": return .names
        case "none": return GridLabels.none
        default:
            let nearest = Nearest.match(scalar.text, in: ["names", "none"]).map { "did you mean \"\($0)\"? " } ?? ""
            faults.append(
                Fault(
                    .invalidValue, at: path, "\(value.kindText) is neither names nor none",
                    fix: "\(nearest)accepted: names, none, or a list of texts"))
            return nil
        }
    }
}
