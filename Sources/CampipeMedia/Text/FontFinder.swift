import CFontconfig
import CampipeKit

/// Finds font files by family and by character with fontconfig.
@safe final class FontFinder {
    /// A file, and which of its fonts.
    struct Font: Hashable {
        var path: String
        var index: Int
    }

    private let config: OpaquePointer?

    /// - Parameter isEmpty: Knows no font at all; for tests.
    init(isEmpty: Bool = false) {
        unsafe config = isEmpty ? FcConfigCreate() : FcInitLoadConfigAndFonts()
    }

    deinit { if let config = unsafe config { unsafe FcConfigDestroy(config) } }

    /// The font that is nearest to a family.
    ///
    /// - Parameter scalar: A character that it must have; nil takes any.
    /// - Returns: nil when there is no font, or none with the character.
    func font(_ family: String, isBold: Bool, with scalar: UInt32? = nil) -> Font? {
        guard let pattern = unsafe FcPatternCreate() else { return nil }
        defer { unsafe FcPatternDestroy(pattern) }
        _ = unsafe FcPatternAddString(pattern, FC_FAMILY, family)
        _ = unsafe FcPatternAddInteger(pattern, FC_WEIGHT, isBold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR)
        _ = unsafe FcPatternAddBool(pattern, FC_SCALABLE, 1)
        _ = unsafe FcPatternAddBool(pattern, FC_OUTLINE, 1)
        if let scalar, let set = unsafe FcCharSetCreate() {
            _ = unsafe FcCharSetAddChar(set, scalar)
            _ = unsafe FcPatternAddCharSet(pattern, FC_CHARSET, set)
            unsafe FcCharSetDestroy(set)
        }
        _ = unsafe FcConfigSubstitute(config, pattern, FcMatchPattern)
        unsafe FcDefaultSubstitute(pattern)
        var result = FcResultNoMatch
        guard let match = unsafe FcFontMatch(config, pattern, &result) else { return nil }
        defer { unsafe FcPatternDestroy(match) }
        if let scalar {
            var set: OpaquePointer?
            guard unsafe FcPatternGetCharSet(match, FC_CHARSET, 0, &set) == FcResultMatch,
                unsafe FcCharSetHasChar(set, scalar) != 0
            else { return nil }
        }
        var path: UnsafeMutablePointer<FcChar8>?
        var index: Int32 = 0
        guard unsafe FcPatternGetString(match, FC_FILE, 0, &path) == FcResultMatch, let path = unsafe path else {
            return nil
        }
        _ = unsafe FcPatternGetInteger(match, FC_INDEX, 0, &index)
        return unsafe Font(path: String(cString: path), index: Int(index))
    }
}
