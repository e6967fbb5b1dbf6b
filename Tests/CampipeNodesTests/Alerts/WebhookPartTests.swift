import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

/// What waits for a server, and what it is sent.
@Suite struct WebhookPartTests {
    private func body(_ bytes: Int = 10) -> WebhookBody {
        WebhookBody(.bestPicture, json: "{}", picture: Bytes([UInt8](repeating: 1, count: bytes)), field: "picture")
    }

    private func seconds(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test("One is underway at a time, in order; after a pause that doubles it is tried again, then given up")
    func retries() throws {
        var queue = WebhookQueue(retries: 3, seed: 1)
        #expect(queue.add(body(), kind: "a", node: "n") == 0 && queue.add(body(), kind: "b", node: "n") == 0)
        var now = seconds(0)
        for pause in [1.0, 2, 4] {
            #expect(queue.next(at: now)?.kind == "a")
            #expect(queue.next(at: now) == nil)
            guard case .again(let instant) = queue.failed(isPassing: true, asked: nil, at: now) else {
                Issue.record("given up")
                return
            }
            #expect(instant - now >= .seconds(pause / 2) && instant - now <= .seconds(pause))
            #expect(queue.next(at: instant - .nanoseconds(1)) == nil)
            now = instant
        }
        #expect(queue.next(at: now)?.kind == "a")
        #expect(queue.failed(isPassing: true, asked: nil, at: now) == .givenUp)
        #expect(queue.next(at: now)?.kind == "b")
        queue.delivered()
        #expect(queue.isEmpty && queue.next(at: now) == nil)
    }

    @Test("A server's own wish counts, up to ten minutes; what it never takes is not tried again")
    func asked() {
        var queue = WebhookQueue(retries: 3, seed: 1)
        _ = queue.add(body(), kind: "a", node: "n")
        _ = queue.next(at: .zero)
        #expect(queue.failed(isPassing: true, asked: .seconds(7), at: .zero) == .again(at: seconds(7)))
        _ = queue.next(at: seconds(7))
        #expect(queue.failed(isPassing: true, asked: .seconds(86_400), at: .zero) == .again(at: seconds(600)))
        _ = queue.next(at: seconds(600))
        #expect(queue.failed(isPassing: false, asked: nil, at: .zero) == .givenUp)
    }

    @Test("It is bounded in items and bytes: the oldest go, never the one underway")
    func bounded() {
        var queue = WebhookQueue(retries: 0, seed: 1)
        _ = queue.add(body(), kind: "first", node: "n")
        _ = queue.next(at: .zero)
        let removed = (0..<100).reduce(0) { count, index in count + queue.add(body(), kind: "\(index)", node: "n") }
        #expect(queue.count == WebhookQueue.mostItems && removed == 101 - WebhookQueue.mostItems)
        queue.delivered()
        #expect(queue.next(at: .zero)?.kind == "69")
        var large = WebhookQueue(retries: 0, seed: 1)
        for index in 0..<5 { _ = large.add(body(6 << 20), kind: "\(index)", node: "n") }
        #expect(large.count == 2 && large.next(at: .zero)?.kind == "3")
        // One alone always has room.
        var one = WebhookQueue(retries: 0, seed: 1)
        #expect(one.add(body(17 << 20), kind: "x", node: "n") == 0 && one.count == 1)
    }

    @Test("A form has the event and the picture, each by its name, and nothing else")
    func form() {
        let picture = Bytes([0xFF, 0xD8, 13, 10, 0xFF, 0xD9])
        let body = WebhookBody(.multipart, json: "{\"id\":1}", picture: picture, field: "photo")
        let boundary = body.type.replacing("multipart/form-data; boundary=", with: "")
        let text = String(decoding: body.bytes.array, as: UTF8.self)
        #expect(
            text.hasPrefix(
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"event\"\r\n"
                    + "Content-Type: application/json\r\n\r\n{\"id\":1}\r\n--\(boundary)\r\n"
                    + "Content-Disposition: form-data; name=\"photo\"; filename=\"picture.jpg\"\r\n"
                    + "Content-Type: image/jpeg\r\n\r\n"))
        #expect(text.hasSuffix("\r\n--\(boundary)--\r\n"))
        let alone = WebhookBody(.multipart, json: "{}", picture: nil, field: "photo")
        #expect(!String(decoding: alone.bytes.array, as: UTF8.self).contains("photo"))
    }

    @Test("An event without a picture goes as JSON in its place")
    func noPicture() {
        let body = WebhookBody(.bestPicture, json: "{}", picture: nil, field: "picture")
        #expect(body.type == "application/json" && body.bytes.array == Array("{}".utf8))
    }

    @Test("The picture is the camera's own JPEG where there is one, else the frame, encoded")
    func pictures() throws {
        let event = Event(.motionStarted, id: "1", captured: .zero, node: "watch")
        let jpeg = Bytes([1, 2, 3])
        let packet = Packet(jpeg, format: .jpeg, captured: .zero, pts: MediaTime(.zero))
        let own = try WebhookBody.picture(of: event.showing(packet), encoder: JPEGEncoder(), pool: .shared)
        #expect(own === jpeg)
        let frame = Frame(FramePool.shared.buffer(.gray8, Size(32, 16)), captured: .zero, pts: MediaTime(.zero))
        let made = try WebhookBody.picture(of: event.showing(frame), encoder: JPEGEncoder(), pool: .shared)
        #expect(made?.array.prefix(2) == [0xFF, 0xD8])
        #expect(try WebhookBody.picture(of: event, encoder: JPEGEncoder(), pool: .shared) == nil)
    }
}
