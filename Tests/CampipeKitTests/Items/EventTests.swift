import CampipeKit
import Testing

@Suite("Events")
struct EventTests {
    @Test("regions survive the way through a payload")
    func regions() {
        let region = Region(x: 0.1, y: 0.2, width: 0.3, height: 0.4, label: "person", score: 0.9)
        let event = Event(
            .motionStarted, id: "7", phase: .began, captured: .zero, node: "watch",
            payload: ["boxes": .list([region.value, "nonsense"]), "score": 1, "class": "person"])
        #expect(event.boxes == [region])
        #expect(event.score == 1 && event.detectedClass == "person")
    }

    @Test("a payload without what is asked for says nothing")
    func nothing() {
        let event = Pictures.event()
        #expect(event.boxes.isEmpty && event.score == nil && event.detectedClass == nil)
    }
}
