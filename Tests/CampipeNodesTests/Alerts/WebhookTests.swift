import CampipeHTTP
import Foundation
import Testing

@testable import CampipeKit
@testable import CampipeNodes

/// The `webhook` sink, with servers on loopback.
@Suite("webhook") final class WebhookTests {
    private let fetcher: HTTPFetcher
    init() throws { fetcher = try HTTPFetcher() }
    deinit { fetcher.stop() }

    private let jpeg = Bytes([0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9])

    private func event(_ id: String = "1", _ kind: EventKind = .motionStarted, phase: Event.Phase = .happened) -> Event
    {
        let event = Event(kind, id: id, phase: phase, captured: .zero, node: "watch", payload: ["score": 0.5])
        return event.showing(Packet(jpeg, format: .jpeg, captured: .zero, pts: MediaTime(.zero)))
    }

    private func harness(_ url: String, _ options: Value.ValueMap = [:]) throws -> NodeHarness {
        var options = options
        options["url"] = .text(url)
        var services = Services()
        services.add(fetcher)
        return try NodeHarness(
            Registration(sink: WebhookSink.self), options: options, isLive: true, services: services)
    }

    /// Lets the node take note of what comes, and moves its clock on by so much a look.
    private func wait(_ harness: NodeHarness, step: Duration = .zero, until condition: () -> Bool) throws -> Bool {
        for _ in 0..<6000 {
            if condition() { return true }
            if harness.waitForWake(within: .milliseconds(10)) { try harness.turn() }
            if step > .zero { try harness.advance(by: step) }
        }
        return condition()
    }

    @Test("An event is sent as JSON, with the fields and the key that the options say")
    func json() throws {
        let server = try AlertServer()
        defer { server.stop() }
        let harness = try harness(
            server.url("/a?b=c"), ["headers": .map(["Title": "Front door"]), "token": "t0ken", "method": "put"])
        try harness.push(event())
        #expect(try wait(harness) { server.requests.count == 1 })
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.path == "/a?b=c")
        #expect(request.headers["content-type"] == "application/json" && request.headers["title"] == "Front door")
        #expect(request.headers["authorization"] == "Bearer t0ken" && request.headers["expect"] == nil)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        #expect(json["kind"] as? String == "motion_started" && json["node"] as? String == "watch")
        try harness.end()
        #expect(harness.removed.isEmpty && harness.logged.isEmpty)
    }

    @Test("The picture is sent alone, or in a form with the event")
    func pictures() throws {
        let server = try AlertServer()
        defer { server.stop() }
        for body in ["best_picture", "multipart"] {
            let harness = try harness(server.url(), ["body": .text(body), "picture_field": "photo"])
            try harness.push(event())
            try harness.end()
        }
        let requests = server.requests
        #expect(requests.map(\.method) == ["POST", "POST"])
        #expect(requests.first?.headers["content-type"] == "image/jpeg" && requests.first?.body == jpeg.array)
        #expect(requests.last?.headers["content-type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        let form = String(decoding: requests.last?.body ?? [], as: UTF8.self)
        #expect(form.contains("name=\"photo\""))
    }

    @Test("The user of the URL is sent at once, with the body, and stands in no message")
    func basic() throws {
        let server = try AlertServer([.status(403)])
        defer { server.stop() }
        let harness = try harness("http://me:pl4nted-secret@127.0.0.1:\(server.port)/s3cret-path/x?key=s3cret-key")
        try harness.push(event())
        try harness.end()
        #expect(server.requests.map { $0.headers["authorization"] } == ["Basic bWU6cGw0bnRlZC1zZWNyZXQ="])
        let said = harness.logged.flatMap { [$0.message] + $0.facts.map(\.value) }.joined(separator: "\n")
        #expect(said.contains("http://127.0.0.1:\(server.port) answers 403"))
        for secret in ["pl4nted-secret", "s3cret-path", "s3cret-key"] { #expect(!said.contains(secret), "\(said)") }
    }

    @Test("Nobody is there: neither the path nor the key of the URL is in a message")
    func absentSecret() throws {
        let server = try AlertServer()
        server.stop()
        let harness = try harness(
            "http://127.0.0.1:\(server.port)/bot12:s3cret-path/x?key=s3cret-key", ["retries": "0"])
        try harness.push(event())
        #expect(try wait(harness) { harness.removed == [.failed: 1] })
        let said = harness.logged.flatMap { [$0.message] + $0.facts.map(\.value) }.joined(separator: "\n")
        #expect(said.contains("refused") && !said.contains("s3cret"), "\(said)")
        try harness.end()
    }

    @Test(
        "What answers 500, or not at all for now, is tried again after pauses; order is kept",
        arguments: [500, 429, 408])
    func again(status: Int) throws {
        let server = try AlertServer([.status(status), .status(status), .status(200)])
        defer { server.stop() }
        let harness = try harness(server.url())
        try harness.push(event("1"))
        try harness.push(event("2"))
        #expect(try wait(harness, step: .milliseconds(100)) { server.requests.count == 4 })
        let ids = server.requests.map { request in
            (try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])?["id"] as? String
        }
        #expect(ids == ["1", "1", "1", "2"])
        try harness.end()
        #expect(harness.removed.isEmpty)
        #expect(harness.logged.filter { $0.level >= .info }.map(\.level) == [.warning, .info])
    }

    @Test("Retry-After is kept to")
    func retryAfter() throws {
        let server = try AlertServer([.status(429, headers: ["Retry-After: 30"]), .status(200)])
        defer { server.stop() }
        let harness = try harness(server.url())
        try harness.push(event())
        #expect(try wait(harness) { harness.logged.contains { $0.level == .warning } })
        try harness.advance(by: .milliseconds(29_999))
        #expect(server.requests.count == 1)
        try harness.advance(by: .milliseconds(1))
        #expect(try wait(harness) { server.requests.count == 2 })
        try harness.end()
    }

    @Test("What says no for good is not tried again, and a redirect is not followed", arguments: [400, 404, 301, 307])
    func refused(status: Int) throws {
        let other = try AlertServer()
        let server = try AlertServer([.status(status, headers: ["Location: \(other.url())"])])
        defer {
            server.stop()
            other.stop()
        }
        let harness = try harness(server.url(), ["token": "t0ken"])
        try harness.push(event())
        #expect(try wait(harness) { harness.removed == [.failed: 1] })
        #expect(server.requests.count == 1 && other.requests.isEmpty)
        try harness.end()
    }

    @Test("A server that says nothing is given up at its time, and again; what comes meanwhile waits, bounded")
    func hangs() throws {
        let server = try AlertServer([.hang])
        defer { server.stop() }
        let harness = try harness(server.url(), ["timeout": "50ms", "retries": "1"])
        for id in 0..<100 { #expect(try harness.push(event("\(id)")) == .more) }
        #expect(harness.removed == [.full: 68])
        #expect(try wait(harness, step: .milliseconds(100)) { (harness.removed[.failed] ?? 0) >= 2 })
        #expect(server.requests.count >= 4)
    }

    @Test("What is left is sent at the end, once more and not again; what cannot be sent is counted")
    func end() throws {
        let server = try AlertServer([.status(500), .status(200), .status(500)])
        defer { server.stop() }
        let harness = try harness(server.url())
        for id in 1...3 { try harness.push(event("\(id)")) }
        try harness.end()
        #expect(server.requests.count == 3 && harness.removed == [.failed: 2])
    }

    @Test("It leaves out repeats, and what its options leave out, which is counted")
    func filtered() throws {
        let server = try AlertServer()
        defer { server.stop() }
        let harness = try harness(server.url(), ["on": ["motion_started"], "cooldown": "60s"])
        try harness.push(event("1", phase: .began).repeated(at: .zero))
        try harness.push(event("2", .motionEnded))
        try harness.push(event("3"))
        try harness.push(event("4"))
        try harness.end()
        #expect(harness.removed == [.filtered: 2] && server.requests.count == 1)
    }

    @Test(
        "What is wrong with its options is a fault with a fix; nothing of the URL is in it",
        arguments: [
            (["url": "ftp://s3cret/x"], "this is no http or https URL"),
            (["url": "s3cret"], "this is no http or https URL"),
            (["url": "http://u:p@h/", "token": "x"], "there are two ways to say who asks"),
            (["url": "http://h/", "token": "two words"], "a token is one word of ASCII"),
            (["url": "http://h/", "picture_field": "a b"], "this is no name of a field"),
            (["url": "http://h/", "headers": ["Content-Type": "x"]], "Content-Type follows from what is sent"),
            (["url": "http://h/", "headers": ["A b": "x"]], "this is no name of a request's field"),
            (["url": "http://h/", "headers": ["Title": "a\nb"]], "a field of a request is one line"),
            (["url": "http://h/", "tls_fingerprint": "00"], "this is no SHA-256 of a certificate or of a public key"),
            (["url": "https://h/", "tls_verify": "false"], "the server's certificate is not checked"),
        ] as [(Value.ValueMap, String)])
    func faults(_ options: Value.ValueMap, _ sentence: String) {
        let faults = Registration(sink: WebhookSink.self).inspect(options).faults
        #expect(faults.count == 1 && faults.first?.sentence.hasPrefix(sentence) == true, "\(faults)")
        #expect(faults.first.map { !($0.sentence + $0.fix).contains("s3cret") } == true)
    }
}
