import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Drawing text")
struct TextRendererTests {
    @Test("a line has letters where they belong, the same each time", arguments: [10, 16, 24, 60])
    func line(_ height: Int) throws {
        let renderer = try TextRenderer()
        let mask = try renderer.render("Hxg", height: height, outline: 2)
        #expect(mask.coverage.count == mask.width * mask.height && mask.outline.count == mask.coverage.count)
        #expect(mask.missing.isEmpty)
        func ink(_ rows: Range<Int>) -> Int {
            rows.reduce(0) { sum, y in sum + (0..<mask.width).reduce(0) { $0 + Int(mask.coverage[y * mask.width + $1]) }
            }
        }
        #expect(ink(mask.baseline..<mask.height) > 0, "g reaches under the baseline")
        #expect(ink(mask.baseline..<mask.height) < ink(0..<mask.baseline) / 3)
        #expect(mask.coverage.contains(255))
        // What the letters cover wholly, the outline does too.
        #expect(zip(mask.coverage, mask.outline).allSatisfy { $0 < 255 || $1 == 255 })
        #expect(mask.outline.count { $0 > 127 } > mask.coverage.count { $0 > 127 })
        #expect(try renderer.render("Hxg", height: height, outline: 2) == mask)
        #expect(try TextRenderer().render("Hxg", height: height, outline: 2) == mask)
    }

    @Test("outlines stay inside the mask: its edge is free of ink")
    func edges() throws {
        let mask = try TextRenderer().render("Wjf|Ég", height: 30, outline: 3)
        for x in 0..<mask.width {
            #expect(mask.coverage[x] == 0 && mask.coverage[(mask.height - 1) * mask.width + x] == 0)
        }
    }

    @Test("a longer line is wider; digits are all as wide, so that a clock stands still")
    func widths() throws {
        let renderer = try TextRenderer()
        let widths = try (0...9).map { try renderer.render("1\($0):\($0)1", height: 20).width }
        #expect(Set(widths).count == 1)
        #expect(try renderer.render("camera", height: 20).width > renderer.render("cam", height: 20).width)
        #expect(
            try renderer.render("AV", height: 64).width < renderer.render("A", height: 64).width
                + renderer.render("V", height: 64).width)
    }

    @Test("no text is no columns; control characters are blanks")
    func empty() throws {
        let renderer = try TextRenderer()
        #expect(try renderer.render("", height: 20).width == 0)
        #expect(try renderer.render("a\nb", height: 20) == renderer.render("a b", height: 20))
    }

    @Test("letters of many scripts are found; one that no font has is a box with its name")
    func scripts() throws {
        let renderer = try TextRenderer()
        #expect(try renderer.render("Grüße Ωμέγα Двор ½ ☀ → é", height: 20).missing.isEmpty)
        let odd = try renderer.render("a\u{10FFFD}", height: 20)
        #expect(odd.missing == ["\u{10FFFD}"])
        #expect(odd.width > (try renderer.render("a", height: 20).width))
    }

    @Test("a machine without fonts is told what to install")
    func noFonts() {
        let error = #expect(throws: CampipeError.self) {
            _ = try TextRenderer(family: "DejaVu Sans", isBold: false, finder: FontFinder(isEmpty: true))
        }
        #expect(error?.kind == .notFound)
        #expect(
            error?.description == "cannot draw text: this machine has no fonts; install the package fonts-dejavu-core")
    }

    @Test("an unknown family is drawn with the nearest font")
    func fallback() throws {
        #expect(try TextRenderer(family: "No Such Font").render("a", height: 20).coverage.contains(255))
    }
}
