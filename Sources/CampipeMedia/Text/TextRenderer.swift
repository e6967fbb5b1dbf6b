package import CampipeKit

/// Draws lines of text with the machine's fonts, by fontconfig and FreeType.
///
/// Shapes are kept, so that a clock costs little. Characters that the family lacks come from another font; those that
/// no font has are boxes, named in the mask. Letters are set from the left, one by one (no Arabic or Indic shaping).
/// One owner, one thread at a time.
package final class TextRenderer {
    private struct Key: Hashable {
        var face: Int
        var glyph: UInt32
        var height: Int
        var outline: Int
    }
    private struct Glyph {
        var advance: Int
        var shape: GlyphBitmap
        var outline: GlyphBitmap
    }

    /// What installs a font on Debian.
    static let fix = "install the package fonts-dejavu-core"
    private static let cacheLimit = 4096

    private let finder: FontFinder
    private let library: FontFace.Library
    private let family: String
    private let isBold: Bool
    private var faces: [FontFace]
    private var opened: [FontFinder.Font: Int]
    private var faceOf: [Unicode.Scalar: (face: Int, glyph: UInt32, isMissing: Bool)] = [:]
    private var glyphs: [Key: Glyph] = [:]

    /// Opens the font that is nearest to a family.
    ///
    /// - Parameters:
    ///   - family: What is liked best, such as `DejaVu Sans`; the nearest font there is stands in.
    ///   - isBold: Whether strokes are heavy.
    /// - Throws: `.notFound` with the package to install when the machine has no font.
    package convenience init(family: String = "DejaVu Sans", isBold: Bool = false) throws(CampipeError) {
        try self.init(family: family, isBold: isBold, finder: FontFinder())
    }

    init(family: String, isBold: Bool, finder: FontFinder) throws(CampipeError) {
        guard let font = finder.font(family, isBold: isBold) else {
            throw CampipeError(.notFound, "cannot draw text: this machine has no fonts", fix: Self.fix)
        }
        self.finder = finder
        self.family = family
        self.isBold = isBold
        library = try FontFace.Library()
        faces = [try FontFace(font, library: library)]
        opened = [font: 0]
    }

    /// Draws one line.
    ///
    /// - Parameters:
    ///   - text: What stands there; line ends and other control characters count as blanks.
    ///   - height: Pixels an em, at least 4; capitals have about seven tenths of it.
    ///   - outline: Pixels that the outline reaches beyond the letters; 0 makes none.
    /// - Returns: A mask as high as the font's line with the outline around it; of no text, one without columns.
    /// - Throws: `.failed` when a font's file is broken.
    package func render(_ text: String, height: Int, outline: Int = 0) throws(CampipeError) -> TextMask {
        let height = min(1024, max(4, height))
        let outline = min(64, max(0, outline))
        if glyphs.count > Self.cacheLimit { glyphs = [:] }
        try faces[0].setHeight(height)
        let extent = faces[0].extent

        var placed: [(glyph: Glyph, x: Int)] = []
        var missing: [Unicode.Scalar] = []
        var pen = 0
        var before: (face: Int, glyph: UInt32)?
        for scalar in text.unicodeScalars {
            let scalar = scalar.properties.generalCategory == .control ? " " : scalar
            let (face, index, isMissing) = try find(scalar)
            if isMissing { missing.append(scalar) }
            try faces[face].setHeight(height)
            if let before, before.face == face { pen += faces[face].kerning(before.glyph, index) }
            before = (face, index)
            let glyph = try glyph(Key(face: face, glyph: index, height: height, outline: outline))
            placed.append((glyph, (pen + 32) >> 6))
            pen += glyph.advance
        }
        // A first letter may reach left of the pen, a last one right of it.
        let left =
            placed.map { $0.x + min($0.glyph.shape.left, $0.glyph.outline.width > 0 ? $0.glyph.outline.left : 0) }.min()
            ?? 0
        let start = min(0, left)
        let right =
            placed.map {
                max(
                    $0.x + $0.glyph.shape.left + $0.glyph.shape.width,
                    $0.x + $0.glyph.outline.left + $0.glyph.outline.width)
            }.max() ?? 0
        let width = placed.isEmpty ? 0 : max(right, (pen + 63) >> 6) - start
        let rows = extent.ascent + extent.descent + 2 * outline
        let baseline = extent.ascent + outline
        var coverage = [UInt8](repeating: 0, count: width * rows)
        var border = [UInt8](repeating: 0, count: outline > 0 ? width * rows : 0)
        for (glyph, x) in placed {
            Self.add(glyph.shape, x - start, baseline, to: &coverage, width, rows)
            if outline > 0 { Self.add(glyph.outline, x - start, baseline, to: &border, width, rows) }
        }
        return TextMask(
            width: width, height: rows, coverage: coverage, outline: border, baseline: baseline, missing: missing)
    }

    /// Which font has a character; a box of the first font where none has it.
    private func find(_ scalar: Unicode.Scalar) throws(CampipeError) -> (face: Int, glyph: UInt32, isMissing: Bool) {
        if let known = faceOf[scalar] { return known }
        var found: (face: Int, glyph: UInt32, isMissing: Bool) = (0, 0, true)
        if let index = faces.indices.first(where: { faces[$0].glyph(of: scalar) != nil }) {
            found = (index, faces[index].glyph(of: scalar) ?? 0, false)
        } else if let font = finder.font(family, isBold: isBold, with: scalar.value), opened[font] == nil {
            let face = try FontFace(font, library: library)
            opened[font] = faces.count
            faces.append(face)
            if let glyph = face.glyph(of: scalar) { found = (faces.count - 1, glyph, false) }
        }
        if faceOf.count > Self.cacheLimit { faceOf = [:] }
        faceOf[scalar] = found
        return found
    }

    private func glyph(_ key: Key) throws(CampipeError) -> Glyph {
        if let known = glyphs[key] { return known }
        let drawn = try faces[key.face].render(key.glyph, outline: key.outline)
        let glyph = Glyph(advance: drawn.advance, shape: drawn.shape, outline: drawn.outline)
        glyphs[key] = glyph
        return glyph
    }

    /// Lays a shape into a mask; where shapes meet, the stronger one counts.
    private static func add(
        _ bitmap: GlyphBitmap, _ pen: Int, _ baseline: Int, to mask: inout [UInt8], _ width: Int, _ rows: Int
    ) {
        for row in 0..<bitmap.height {
            let y = baseline - bitmap.top + row
            guard y >= 0, y < rows else { continue }
            for column in 0..<bitmap.width {
                let x = pen + bitmap.left + column
                guard x >= 0, x < width else { continue }
                mask[y * width + x] = max(mask[y * width + x], bitmap.coverage[row * bitmap.width + column])
            }
        }
    }
}
