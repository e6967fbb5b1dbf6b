import CampipeKit

/// Sends events with their pictures to a phone, by ntfy (https://docs.ntfy.sh/publish/) or by a bot of Telegram
/// (https://core.telegram.org/bots/api).
struct Notify: Sink {
    typealias Input = Event

    enum Service: String, OptionChoice { case ntfy, telegram }

    static let name = "notify"
    static let summary = "Sends events with their pictures to a phone, by ntfy or Telegram."
    static let execution = Execution.ownThread
    static let inputs: [any AnyPort] = [In<Event>("input", taste: .complete)]

    @Option("Who takes it to the phone.") var service = Service.ntfy
    @Option("The topic of ntfy, such as https://ntfy.sh/my-porch; of Telegram https://api.telegram.org.")
    var url: String
    @Option("The bot's token, or the access token of ntfy.") var token: Secret? = nil
    @Option("The chat of Telegram that the bot writes to.") var chat: String? = nil
    @Option("The kinds of events that are sent; left out, all.") var kinds: [String]? = nil
    @Option(.seconds(0)...(.seconds(86_400)), "The least time between two.") var interval = Duration.seconds(10)

    private var client: (any WebClient)?
    private var log = Log.silent
    private var source = ""
    private var last: Instant?

    func check(at path: FaultPath, into faults: inout [Fault]) {
        guard service == .telegram else { return }
        if token == nil {
            faults.append(Fault(.node, at: path, "Telegram needs a token", fix: "add token: as @BotFather told it"))
        }
        if chat == nil {
            faults.append(Fault(.node, at: path, "Telegram needs a chat", fix: "add chat: with the id of the chat"))
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        client = try context.service((any WebClient).self)
        log = context.log
        source = context.source
    }

    mutating func consume(_ event: consuming Event) throws -> Next {
        let event = event
        // What goes on says so each second, and an end is no news.
        if event.isRepeat || event.phase == .ended { return .more }
        if let kinds, !kinds.contains(event.kind.rawValue) { return .more }
        if let last, event.captured - last < interval {
            log.debug("left out, since another was sent just before", ["kind": event.kind.rawValue])
            return .more
        }
        last = event.captured
        _ = try client?.ask(request(for: event))
        log.info("sent", ["kind": event.kind.rawValue, "picture": event.picture != nil])
        return .more
    }

    /// `porch: motion_started, person`.
    private func text(of event: Event) -> String {
        let facts = [event.kind.rawValue, event.detectedClass].compactMap(\.self)
        return "\(source): \(facts.joined(separator: ", "))"
    }

    func request(for event: Event) -> WebRequest {
        // A picture that decodes alone is a JPEG, or of a camera that sends another coding than phones show.
        let picture = event.picture.flatMap { $0.format.coding == .jpeg ? $0.data.array : nil }
        return service == .ntfy ? ntfy(text(of: event), picture) : telegram(text(of: event), picture)
    }

    private func ntfy(_ text: String, _ picture: [UInt8]?) -> WebRequest {
        var headers = [(name: "Title", value: "campipe")]
        if let token { headers.append(("Authorization", "Bearer \(token.revealed)")) }
        guard let picture else { return WebRequest(url, headers: headers, body: Array(text.utf8)) }
        headers += [("Message", text), ("Filename", "picture.jpg")]
        return WebRequest(url, method: "PUT", headers: headers, body: picture, timeout: .seconds(30))
    }

    private func telegram(_ text: String, _ picture: [UInt8]?) -> WebRequest {
        let boundary = "campipe-8c1f0e2b"
        var body: [UInt8] = []
        func part(_ head: String, _ bytes: [UInt8]) {
            body += Array("--\(boundary)\r\nContent-Disposition: form-data; \(head)\r\n\r\n".utf8) + bytes + [13, 10]
        }
        part("name=\"chat_id\"", Array((chat ?? "").utf8))
        part("name=\"\(picture == nil ? "text" : "caption")\"", Array(text.utf8))
        if let picture { part("name=\"photo\"; filename=\"picture.jpg\"\r\nContent-Type: image/jpeg", picture) }
        body += Array("--\(boundary)--\r\n".utf8)
        let method = picture == nil ? "sendMessage" : "sendPhoto"
        return WebRequest(
            "\(url)/bot\(token?.revealed ?? "")/\(method)",
            headers: [("Content-Type", "multipart/form-data; boundary=\(boundary)")], body: body, timeout: .seconds(30))
    }
}
