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
}
