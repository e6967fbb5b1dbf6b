import Testing

@testable import CampipeNodes

@Suite("The text of an overlay")
struct OverlayTextTests {
    @Test("text and fields are taken apart")
    func parts() throws {
        #expect(
            try OverlayText("{source} %H:%M {{x}} {event.class} {yard/watch.score}").parts == [
                .source, .text(" %H:%M {x} "), .event(node: nil, .class), .text(" "),
                .event(node: "yard/watch", .score),
            ])
    }

    @Test(
        "an unknown field or a lonely brace is told with what would be right",
        arguments: [
            ("{sorce}", "unknown field {sorce}", "did you mean \"source\"?"),
            ("{watch.scor}", "unknown field {watch.scor}", "did you mean \"watch.score\"?"),
            ("{event.klass}", "unknown field {event.klass}", "did you mean \"event.class\"?"),
            ("a } b", "\"}\" stands alone", "write }} for the brace itself"),
            ("a { b", "\"{\" stands alone", "write {{ for the brace itself"),
        ])
    func problems(_ pattern: String, _ sentence: String, _ fix: String) {
        #expect { try OverlayText(pattern) } throws: { error in
            (error as? OverlayText.Problem)?.sentence == sentence && (error as? OverlayText.Problem)?.fix == fix
        }
    }

    @Test(
        "a conversion that strftime does not know is told",
        arguments: [
            ("%Q", "%Q"), ("%H %K", "%K"), ("100%", "%"), ("%{source}", "%"), ("%f", "%f"), ("%-", "%-"),
            ("%EQ", "%EQ"), ("%Oz", "%Oz"), ("%ä", "%ä"), ("%999d", "%999d"), ("%H%%%!", "%!"),
        ])
    func conversions(_ pattern: String, _ named: String) {
        #expect { try OverlayText(pattern) } throws: { error in
            guard let problem = error as? OverlayText.Problem else { return false }
            return problem.sentence == "\"\(named)\" is not a conversion of strftime"
                && problem.fix.hasPrefix("known: %Y %m %d") && !problem.isField
        }
    }

    @Test(
        "conversions with flags, widths and modifiers pass",
        arguments: ["%Y-%m-%d %H:%M:%S", "%-d. %_H %^a %04Y", "%Ey %Od", "100%% {source}%T", "%c %x %X", ""])
    func knownConversions(_ pattern: String) throws { _ = try OverlayText(pattern) }
}
