import CampipeKit
import CampipeMedia

/// Covers parts of the picture for good, in this branch of the graph.
struct MaskNode: Transform {
    static let name = "mask"
    static let summary = "Covers parts of the picture for good: by a colour, by coarse squares, or by a blur."
    static let accepts: [Format] = [
        .frames(.yuv420), .frames(.yuv422), .frames(.yuv444), .frames(.nv12), .frames(.gray8), .frames(.rgb24),
    ]

    @Option("Polygons to cover.") var zones: Polygons
    @Option(
        "One colour, squares of which 32 would fill a row, or those squares blurred; nobody can undo any of them, but "
            + "of what moves behind squares more may be told from many pictures: fill where that matters.")
    var kind = Cover.fill
    @Option("Colour of a fill: a name, #rgb or #rrggbb.") var color = Color(.black)

    enum Cover: String, OptionChoice {
        case fill, blur, pixelate
    }

    /// Covered rows of a plane, for the size at hand.
    private var spans: [CoveredSpans] = []
    private var prepared: Prepared?

    private struct Prepared: Hashable {
        var size: Size
        var pixel: PixelFormat
        var margin: Int
    }

    var masksPictures: Bool { true }

    /// A smaller picture, or a grey one, is covered as well as a large one.
    func want(_ downstream: Want) -> Want {
        Want(
            maxWidth: downstream.maxWidth, maxHeight: downstream.maxHeight, maxRate: downstream.maxRate,
            lumaOnly: downstream.lumaOnly)
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if zones.list.isEmpty {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("zones"), "no polygon is given", fix: "write [[0, 0], [1, 0], [1, 1]]"))
        }
        if kind != .fill, color.color != .black {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("color"), "a mask of kind \(kind.rawValue) has no colour",
                    fix: "write kind: fill, or delete color", part: .key))
        }
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        let needed = Prepared(size: frame.size, pixel: frame.pixel, margin: margin(of: frame))
        if prepared != needed {
            spans = frame.pixels.planes.map {
                CoveredSpans(zones, columns: $0.width, rows: $0.height, margin: needed.margin)
            }
            prepared = needed
        }
        let colors = colors(frame.format)
        let side = max(8, frame.size.width / 32)
        for index in spans.indices {
            let square = max(2, side * spans[index].columns / frame.size.width)
            unsafe frame.withMutablePlane(index) { base, plane in
                switch kind {
                case .fill: unsafe spans[index].fill(base, plane, levels: colors[index])
                case .blur, .pixelate:
                    unsafe spans[index].coarsen(base, plane, side: square, isSmooth: kind == .blur)
                }
            }
        }
        output.emit(frame)
    }

    /// How many pixels around are covered too: a JPEG that was reduced as it was decoded has some of what is covered in the
    /// pixel beside it. At three eighths, where each pixel is made of all of its block, in the two beside it, which are
    /// those of the block.
    private func margin(of frame: borrowing Frame) -> Int {
        guard let origin = frame.origin, origin.format.size != frame.size else { return 0 }
        guard let whole = origin.format.size else { return 2 }
        return JPEGScale.threeEighths.size(of: whole) == frame.size ? 2 : 1
    }

    /// The levels of the fill's colour in each plane of a format.
    private func colors(_ format: FrameFormat) -> [[UInt8]] {
        let own = color.color
        let (luma, blue, red) = own.levels(format.range, format.matrix)
        return switch format.pixel ?? .yuv420 {
        case .rgb24: [[own.red, own.green, own.blue]]
        case .gray8: [[luma]]
        case .nv12: [[luma], [blue, red]]
        case .yuv420, .yuv422, .yuv444: [[luma], [blue], [red]]
        }
    }
}
