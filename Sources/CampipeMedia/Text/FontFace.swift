import CFreeType
import CampipeKit

/// The shape of a character at a size: how much of each pixel it covers.
struct GlyphBitmap: Sendable {
    var width = 0
    var height = 0
    /// From the pen to the left edge, and from the baseline up to the top edge, in pixels.
    var left = 0
    var top = 0
    var coverage: [UInt8] = []
}

/// A font of a file, opened by FreeType. It keeps the library alive; one owner, one thread at a time.
@safe final class FontFace {
    /// FreeType's own state, closed after the last face.
    @safe final class Library {
        fileprivate let handle: FT_Library

        init() throws(CampipeError) {
            var made: FT_Library?
            try FreeType.check(unsafe FT_Init_FreeType(&made), "cannot start FreeType")
            guard let made = unsafe made else { throw CampipeError(.exhausted, "no memory for FreeType") }
            unsafe handle = made
        }

        deinit { _ = unsafe FT_Done_FreeType(handle) }
    }

    private let library: Library
    private let face: FT_Face
    private var height = 0

    init(_ font: FontFinder.Font, library: Library) throws(CampipeError) {
        var made: FT_Face?
        let code = unsafe FT_New_Face(library.handle, font.path, FT_Long(font.index), &made)
        try FreeType.check(code, "cannot open the font \(font.path)")
        guard let made = unsafe made else { throw CampipeError(.exhausted, "no memory for the font \(font.path)") }
        self.library = library
        unsafe face = made
    }

    deinit { _ = unsafe FT_Done_Face(face) }

    /// The number of a character's shape; nil when the font has none.
    func glyph(of scalar: Unicode.Scalar) -> UInt32? {
        let index = unsafe FT_Get_Char_Index(face, FT_ULong(scalar.value))
        return index == 0 ? nil : index
    }

    /// Sets how many pixels an em has.
    func setHeight(_ pixels: Int) throws(CampipeError) {
        guard pixels != height else { return }
        try FreeType.check(unsafe FT_Set_Pixel_Sizes(face, 0, FT_UInt(pixels)), "cannot set a font to \(pixels) pixels")
        height = pixels
    }

    /// How far a line reaches over and under its baseline, in pixels.
    var extent: (ascent: Int, descent: Int) {
        guard let size = unsafe face.pointee.size else { return (0, 0) }
        return unsafe (Int((size.pointee.metrics.ascender + 63) >> 6), Int((63 - size.pointee.metrics.descender) >> 6))
    }

    /// What two neighbours move together, in 1/64 pixels.
    func kerning(_ left: UInt32, _ right: UInt32) -> Int {
        var vector = FT_Vector()
        guard unsafe FT_Get_Kerning(face, left, right, FT_KERNING_DEFAULT.rawValue, &vector) == 0 else { return 0 }
        return Int(vector.x)
    }

    /// Draws a shape, and the shape widened by `outline` pixels.
    ///
    /// - Returns: The advance in 1/64 pixels, the shape, and its outline (empty without one).
    func render(_ glyph: UInt32, outline: Int) throws(CampipeError) -> (
        advance: Int, shape: GlyphBitmap, outline: GlyphBitmap
    ) {
        let attempted = "cannot draw a glyph"
        try FreeType.check(
            unsafe FT_Load_Glyph(face, glyph, campipe_load_light | FT_Int32(FT_LOAD_NO_BITMAP)), attempted)
        guard let slot = unsafe face.pointee.glyph else { return (0, GlyphBitmap(), GlyphBitmap()) }
        let advance = unsafe Int(slot.pointee.advance.x)
        var made: FT_Glyph?
        try FreeType.check(unsafe FT_Get_Glyph(slot, &made), attempted)
        defer { unsafe FT_Done_Glyph(made) }
        var border = GlyphBitmap()
        if outline > 0 {
            var stroker: FT_Stroker?
            try FreeType.check(unsafe FT_Stroker_New(library.handle, &stroker), attempted)
            defer { unsafe FT_Stroker_Done(stroker) }
            unsafe FT_Stroker_Set(
                stroker, FT_Fixed(outline * 64), FT_STROKER_LINECAP_ROUND, FT_STROKER_LINEJOIN_ROUND, 0)
            // With `destroy` 0 it makes a new glyph and leaves the first alone.
            var widened = unsafe made
            if unsafe FT_Glyph_StrokeBorder(&widened, stroker, 0, 0) == 0, unsafe widened != made {
                defer { unsafe FT_Done_Glyph(widened) }
                border = try unsafe Self.bitmap(&widened, attempted)
            }
        }
        return (advance, try unsafe Self.bitmap(&made, attempted), border)
    }

    /// Rasters an outline; `glyph` is then the bitmap's.
    private static func bitmap(_ glyph: inout FT_Glyph?, _ attempted: String) throws(CampipeError) -> GlyphBitmap {
        try FreeType.check(unsafe FT_Glyph_To_Bitmap(&glyph, FT_RENDER_MODE_NORMAL, nil, 1), attempted)
        guard let drawn = unsafe glyph, unsafe drawn.pointee.format == campipe_format_bitmap else {
            return GlyphBitmap()
        }
        return unsafe UnsafeRawPointer(drawn).withMemoryRebound(to: FT_BitmapGlyphRec.self, capacity: 1) { own in
            let bitmap = unsafe own.pointee.bitmap
            let (width, rows) = unsafe (Int(bitmap.width), Int(bitmap.rows))
            var coverage = [UInt8](repeating: 0, count: width * rows)
            if let pixels = unsafe bitmap.buffer, unsafe bitmap.pixel_mode == UInt8(FT_PIXEL_MODE_GRAY.rawValue) {
                for y in 0..<rows {
                    for x in 0..<width { coverage[y * width + x] = unsafe pixels[y * Int(bitmap.pitch) + x] }
                }
            }
            return unsafe GlyphBitmap(
                width: width, height: rows, left: Int(own.pointee.left), top: Int(own.pointee.top), coverage: coverage)
        }
    }
}
