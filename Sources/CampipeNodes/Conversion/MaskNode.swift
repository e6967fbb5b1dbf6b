import CampipeKit
import CampipeMedia

/// Covers parts of the picture for good, in this branch of the graph.
struct MaskNode: Transform {
    static let name = "mask"
    static let summary = "Covers parts of the picture, by filling or by coarse pixels."
    static let accepts: [Format] = [
        .frames(.yuv420), .frames(.yuv422), .frames(.yuv444), .frames(.nv12), .frames(.gray8), .frames(.rgb24),
    ]

    @Option("Polygons to cover.") var zones: Polygons
    @Option("Grey all over, or pixels too coarse to recognise anything by.") var with = Cover.fill

    enum Cover: String, OptionChoice {
        case fill, pixelate
    }

    /// Covered rows of a plane, for the size at hand.
    private var spans: [CoveredSpans] = []
    private var prepared: Prepared?

    private struct Prepared: Hashable {
        var size: Size
        var pixel: PixelFormat
        var isReduced: Bool
    }

    var masksPictures: Bool { true }

    /// A smaller picture, or a grey one, is covered as well as a large one.
    func want(_ downstream: Want) -> Want {
        Want(maxWidth: downstream.maxWidth, maxRate: downstream.maxRate, lumaOnly: downstream.lumaOnly)
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if zones.list.isEmpty {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("zones"), "no polygon is given", fix: "write [[0, 0], [1, 0], [1, 1]]"))
        }
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        // A JPEG that was reduced as it was decoded has some of what is covered in the pixel beside it.
        let isReduced = frame.origin.map { $0.format.size != frame.size } ?? false
        let needed = Prepared(size: frame.size, pixel: frame.pixel, isReduced: isReduced)
        if prepared != needed {
            spans = frame.pixels.planes.map {
                CoveredSpans(zones, columns: $0.width, rows: $0.height, margin: isReduced ? 1 : 0)
            }
            prepared = needed
        }
        let side = max(8, frame.size.width / 40)
        for index in spans.indices {
            let level: UInt8 = index > 0 ? 128 : frame.pixel.hasLuma && frame.format.range == .limited ? 16 : 0
            let block = max(2, side * spans[index].columns / frame.size.width)
            unsafe frame.withMutablePlane(index) { base, plane in
                switch with {
                case .fill: unsafe spans[index].fill(base, plane, level: level)
                case .pixelate: unsafe spans[index].pixelate(base, plane, side: block)
                }
            }
        }
        output.emit(frame)
    }
}
