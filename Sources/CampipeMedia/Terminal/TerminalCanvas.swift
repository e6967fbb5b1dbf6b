import CChafa
package import CampipeKit

/// Turns frames into what a terminal prints, with libchafa.
///
/// The bytes are a function of frame, size and capabilities alone. They begin where the cursor is, hold no other
/// movement than line ends between rows, and leave colours as they were. One owner, one thread at a time.
@safe package final class TerminalCanvas {
    private struct Shape: Hashable {
        var cells: Size
        var cell: Size
        var capabilities: TerminalCapabilities
    }
    private let scaler = Scaler()
    private let term: OpaquePointer
    private var canvas: OpaquePointer?
    private var shape: Shape?

    /// A canvas for any terminal; `draw` says which.
    package init() {
        guard let info = unsafe chafa_term_db_get_fallback_info(chafa_term_db_get_default()) else {
            fatalError("libchafa knows no terminal at all")
        }
        unsafe term = info
    }

    deinit {
        if let canvas = unsafe canvas { unsafe chafa_canvas_unref(canvas) }
        unsafe chafa_term_info_unref(term)
    }

    /// How many columns and rows a picture takes in a terminal so that it is not skewed.
    ///
    /// - Parameter cell: Pixels of one character; most are about twice as high as wide.
    package static func cells(of picture: Size, columns: Int, rows: Int, cell: Size) -> Size {
        let (columns, rows) = (max(1, columns), max(1, rows))
        let width = Double(picture.width) / Double(cell.width)
        let height = Double(picture.height) / Double(cell.height)
        let scale = min(Double(columns) / width, Double(rows) / height)
        return Size(
            min(columns, max(1, Int((width * scale).rounded()))), min(rows, max(1, Int((height * scale).rounded()))))
    }

    /// Pixels of a picture at most, where it is sent as pixels: so many bytes a picture however large the window is.
    ///
    /// kitty and iTerm2 get 5.3 bytes a pixel (32 bits, in base64), and make the picture as large as its cells
    /// themselves; sixels cannot be enlarged, so a larger window is not filled.
    static func pixelLimit(_ graphics: TerminalCapabilities.Graphics) -> Int {
        switch graphics {
        case .kitty, .iterm: 640 * 400
        case .sixel: 1280 * 800
        case .symbols, .ascii: .max
        }
    }

    /// What of the room is drawn, so that it stays within the limit.
    private static func limited(
        _ cells: Size, _ cell: Size, of picture: Size, _ graphics: TerminalCapabilities.Graphics
    ) -> (cells: Size, cell: Size) {
        let pixels = Double(cells.width * cell.width) * Double(cells.height * cell.height)
        let share = (Double(pixelLimit(graphics)) / pixels).squareRoot()
        guard share < 1 else { return (cells, cell) }
        func less(_ size: Size) -> Size {
            Size(max(1, Int(Double(size.width) * share)), max(1, Int(Double(size.height) * share)))
        }
        guard graphics == .sixel else { return (cells, less(cell)) }
        let room = less(cells)
        return (Self.cells(of: picture, columns: room.width, rows: room.height, cell: cell), cell)
    }

    /// Draws a frame.
    ///
    /// - Parameters:
    ///   - columns: The room there is; the picture keeps its shape inside of it, at the top left.
    ///   - rows: As `columns`.
    ///   - cell: Pixels of one character.
    ///   - capabilities: How; pictures of pixels have a limit.
    /// - Returns: UTF-8 text or a graphics sequence, without a line end after the last row.
    package func draw(
        _ frame: Frame, columns: Int, rows: Int, cell: Size = Size(10, 20), capabilities: TerminalCapabilities,
        pool: FramePool
    ) throws(CampipeError) -> [UInt8] {
        let (cells, cell) = Self.limited(
            Self.cells(of: frame.size, columns: columns, rows: rows, cell: cell), cell, of: frame.size,
            capabilities.graphics)
        let hasPixels = ![.symbols, .ascii].contains(capabilities.graphics)
        // Symbols are chosen by a grid of eight by eight a character.
        let size =
            hasPixels
            ? Size(cells.width * cell.width, cells.height * cell.height) : Size(cells.width * 8, cells.height * 8)
        let picture = try scaler.scale(frame, to: size, pixel: .rgb24, pool: pool)
        let canvas = try unsafe prepare(Shape(cells: cells, cell: cell, capabilities: capabilities))
        unsafe picture.withPlane(0) { pixels, plane in
            unsafe chafa_canvas_draw_all_pixels(
                canvas, CHAFA_PIXEL_RGB8, pixels, Int32(plane.width), Int32(plane.height), Int32(plane.stride))
        }
        guard let printed = unsafe chafa_canvas_print(canvas, term) else {
            throw CampipeError(.exhausted, "cannot draw a picture of \(cells) characters")
        }
        defer { unsafe g_string_free(printed, 1) }
        let text = unsafe UnsafeRawBufferPointer(start: printed.pointee.str, count: Int(printed.pointee.len))
        return unsafe Array(text)
    }

    private func prepare(_ shape: Shape) throws(CampipeError) -> OpaquePointer {
        if shape == self.shape, let canvas = unsafe canvas { return unsafe canvas }
        self.shape = nil
        if let old = unsafe canvas { unsafe chafa_canvas_unref(old) }
        unsafe canvas = nil
        guard let config = unsafe chafa_canvas_config_new(), let symbols = unsafe chafa_symbol_map_new() else {
            throw CampipeError(.exhausted, "no memory for a terminal's canvas")
        }
        defer {
            unsafe chafa_symbol_map_unref(symbols)
            unsafe chafa_canvas_config_unref(config)
        }
        let pixelMode: ChafaPixelMode
        var tags = CHAFA_SYMBOL_TAG_BLOCK.rawValue | CHAFA_SYMBOL_TAG_SPACE.rawValue
        switch shape.capabilities.graphics {
        case .kitty: pixelMode = CHAFA_PIXEL_MODE_KITTY
        case .sixel: pixelMode = CHAFA_PIXEL_MODE_SIXELS
        case .iterm: pixelMode = CHAFA_PIXEL_MODE_ITERM2
        case .symbols: pixelMode = CHAFA_PIXEL_MODE_SYMBOLS
        case .ascii:
            pixelMode = CHAFA_PIXEL_MODE_SYMBOLS
            tags = CHAFA_SYMBOL_TAG_ASCII.rawValue
        }
        let canvasMode =
            switch shape.capabilities.colors {
            case .truecolor: CHAFA_CANVAS_MODE_TRUECOLOR
            case .indexed256: CHAFA_CANVAS_MODE_INDEXED_256
            case .indexed16: CHAFA_CANVAS_MODE_INDEXED_16
            case .none: CHAFA_CANVAS_MODE_FGBG
            }
        unsafe chafa_symbol_map_add_by_tags(symbols, ChafaSymbolTags(tags))
        unsafe chafa_canvas_config_set_geometry(config, Int32(shape.cells.width), Int32(shape.cells.height))
        unsafe chafa_canvas_config_set_cell_geometry(config, Int32(shape.cell.width), Int32(shape.cell.height))
        unsafe chafa_canvas_config_set_canvas_mode(config, canvasMode)
        unsafe chafa_canvas_config_set_pixel_mode(config, pixelMode)
        unsafe chafa_canvas_config_set_symbol_map(config, symbols)
        unsafe chafa_canvas_config_set_fill_symbol_map(config, symbols)
        // A tenth of the work shows nearly the same symbols, many times a second.
        unsafe chafa_canvas_config_set_work_factor(config, 0.1)
        guard let made = unsafe chafa_canvas_new(config) else {
            throw CampipeError(.exhausted, "no memory for a terminal's canvas")
        }
        unsafe canvas = made
        self.shape = shape
        return unsafe made
    }
}
