import CampipeKit
import CampipeMedia

/// Where the cells of a grid are: rows of as many columns, filled from the top left. A value.
struct GridLayout: Hashable, Sendable {
    /// One for each input, in their order; each begins at even columns and rows, and no two overlap.
    let cells: [PixelRect]
    let columns: Int

    /// The shape of most cameras' pictures.
    private static let usual = 16.0 / 9.0

    /// - Parameters:
    ///   - count: Cells, at least 1.
    ///   - columns: Left out, as many as make pictures of 16:9 largest; of equals side by side.
    init(_ count: Int, in size: Size, columns: Int? = nil) {
        let columns = min(count, columns ?? Self.best(count, size))
        let rows = (count + columns - 1) / columns
        func edge(_ index: Int, of parts: Int, _ whole: Int) -> Int {
            index == parts ? whole : whole * index / parts & ~1
        }
        self.columns = columns
        cells = (0..<count).map { index in
            let (column, row) = (index % columns, index / columns)
            let (x, y) = (edge(column, of: columns, size.width), edge(row, of: rows, size.height))
            return PixelRect(
                x: x, y: y, width: edge(column + 1, of: columns, size.width) - x,
                height: edge(row + 1, of: rows, size.height) - y)
        }
    }

    private static func best(_ count: Int, _ size: Size) -> Int {
        var best = (columns: 1, width: 0.0)
        for columns in 1...count {
            let rows = (count + columns - 1) / columns
            let width = min(Double(size.width) / Double(columns), Double(size.height) / Double(rows) * usual)
            // The same but for rounding.
            if width > best.width - 1e-6 { best = (columns, width) }
        }
        return best.columns
    }

    /// The widest cell: how wide a picture is worth decoding.
    var widest: Int { cells.map(\.width).max() ?? 0 }
}
