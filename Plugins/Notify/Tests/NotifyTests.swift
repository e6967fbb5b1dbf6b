import CampipeKit
import Testing

/// Keeps what it is asked.
private final class Asked: WebClient {
    let requests = Lock<[WebRequest]>([])

    func ask(_ request: WebRequest) throws -> WebAnswer {
        requests.withLock { $0.append(request) }
        return WebAnswer()
    }
}

@Suite("notify")
struct NotifyTests {
    private func requests(_ options: Value.ValueMap, _ events: [Event]) throws -> [WebRequest] {
        let asked = Asked()
        var services = Services()
        services.add(asked, as: (any WebClient).self)
        let harness = try NodeHarness(Registration(sink: Notify.self), options: options, services: services)
        for event in events { try harness.push(event) }
        try harness.end()
        return asked.requests.withLock { $0 }
    }

    private func event(_ second: Int, _ kind: EventKind = .motionStarted, _ phase: Event.Phase = .began) -> Event {
        Event(
            kind, id: "1", phase: phase, captured: .zero + .seconds(second), node: "watch", payload: ["class": "person"]
        )
    }

    private func shown(_ event: Event) -> Event {
        event.showing(Packet(Bytes([0xFF, 0xD8]), format: .jpeg, captured: event.captured, pts: MediaTime(.zero)))
    }

    @Test("a beginning is sent with its picture; its end, its repeats and what follows too soon are not")
    func ntfy() throws {
        let sent = try requests(
            ["url": "https://ntfy.sh/my-porch", "token": "tk"],
            [shown(event(0)), event(1).repeated(at: .zero), event(2, .motionEnded, .ended), event(5), event(20)])
        #expect(sent.map(\.method) == ["PUT", nil])
        #expect(sent[0].body == [0xFF, 0xD8])
        #expect(
            sent[0].headers.map { "\($0.name): \($0.value)" }.sorted() == [
                "Authorization: Bearer tk", "Filename: picture.jpg", "Message: node: motion_started, person",
                "Title: campipe",
            ])
        #expect(sent[1].body.map { String(decoding: $0, as: UTF8.self) } == "node: motion_started, person")
    }

    @Test("a bot of Telegram gets a form with the picture in it")
    func telegram() throws {
        let sent = try requests(
            ["service": "telegram", "url": "https://api.telegram.org", "token": "12:ab", "chat": "77"],
            [shown(event(0))])
        #expect(sent.map(\.url) == ["https://api.telegram.org/bot12:ab/sendPhoto"])
        let text = String(decoding: sent[0].body ?? [], as: UTF8.self)
        #expect(text.contains("name=\"chat_id\"\r\n\r\n77\r\n"))
        #expect(text.contains("name=\"photo\"; filename=\"picture.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"))
    }

    @Test("only the kinds that are named are sent")
    func kinds() throws {
        let options: Value.ValueMap = ["url": "http://a/b", "kinds": ["camera_lost"], "interval": "0s"]
        #expect(try requests(options, [event(0), event(1, .cameraLost), event(2)]).count == 1)
    }

    @Test("what is missing is said before anything starts")
    func missing() {
        func faults(_ options: Value.ValueMap) -> [String] {
            Registration(sink: Notify.self).inspect(options).faults.map(\.sentence)
        }
        #expect(faults([:]).first?.hasPrefix("\"url\" is missing") == true)
        #expect(
            faults(["service": "telegram", "url": "https://api.telegram.org"]) == [
                "Telegram needs a token", "Telegram needs a chat",
            ])
    }
}
