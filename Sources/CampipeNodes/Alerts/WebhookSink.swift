import CampipeHTTP
import CampipeKit
import CampipeMedia

/// Sends each event to a server, one after the other.
///
/// Its turns never wait for the server: requests run on the HTTP client's thread, and what waits is bounded. At the end of the
/// pipeline they have a moment, for which the sink's own thread is.
struct WebhookSink: Sink {
    typealias Input = Event
    static let name = "webhook"
    static let summary = "Sends each event to an HTTP server: as JSON, as the picture that shows it, or both."
    static let execution = Execution.ownThread
    static let inputs: [any AnyPort] = [In<Event>("inputs", many: true)]

    @Option("Where to; it is shown nowhere, but for the host.", example: "https://192.168.1.5/alarm")
    var url: Secret
    @Option("What is sent; an event without a picture is sent as JSON in place of best_picture.")
    var body = WebhookBodyKind.json
    @Option("What the picture is called in the form of multipart.") var pictureField = "picture"
    @Option("How it is asked.") var method = WebhookMethod.post
    @Option("More fields of the request's head, such as {Title: Motion}.") var headers = HeaderFields()
    @Option("A key, sent as Authorization: Bearer KEY.") var token: Secret? = nil
    @Option(.milliseconds(10)...(.seconds(300)), "How long a request may take, with its answer.")
    var timeout: Duration = .seconds(10)
    @Option(0...20, "How often it is tried again, after pauses of 1 s, 2 s and so on; less what answers 4xx.")
    var retries = 3
    @Option("Whether the server's certificate is checked, of https.") var tlsVerify = true
    @Option("A file of certificates (PEM) to trust instead of the system's.") var caFile: String? = nil
    @Option("The SHA-256 of the server's certificate, as AB:CD:…, or of its public key, as sha256//BASE64.")
    var tlsFingerprint: String? = nil
    @Option("The proxy, http://host:port, or none; by default as the environment says.") var proxy: Secret? = nil
    var alerts = AlertOptions()

    /// What is left to the server when the pipeline ends.
    static let patience = Duration.seconds(5)

    private var work: Work?

    private struct Work {
        var context: Context
        var target: WebhookTarget
        var fetcher: HTTPFetcher
        var mailbox: AlertMailbox<WebhookExchange.Outcome>
        var filter: AlertFilter
        var queue: WebhookQueue
        let encoder = JPEGEncoder()
        var transfer: Transfer?
        var isFailing = false
        var losses = RecurringNote()
        var isClosing = false
    }

    private var trust: CameraTrust {
        CameraTrust(
            scheme: "https", isTLS: url.revealed.lowercased().hasPrefix("https:"), isChecked: tlsVerify,
            caFile: caFile, fingerprint: tlsFingerprint, whose: "server")
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        alerts.check(at: path, into: &faults)
        do throws(CampipeError) {
            let target = try WebhookTarget(url.revealed)
            let isDouble = [token != nil, target.authorization != nil, headers.has("authorization")].count { $0 } > 1
            if isDouble {
                faults.append(
                    Fault(
                        .invalidValue, at: path.key(token != nil ? "token" : "headers"),
                        "there are two ways to say who asks",
                        fix: "keep one of: token, Authorization under headers, a user in the URL", part: .key))
            }
        } catch {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("url"), error.message,
                    fix: "write it as http://host/path or https://host/path"))
        }
        if let token, token.revealed.isEmpty || !token.revealed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("token"), "a token is one word of ASCII",
                    fix: "write it as the server gave it, without \"Bearer\""))
        }
        let isName = !pictureField.isEmpty && pictureField.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 34 }
        if !isName {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("picture_field"), "this is no name of a field",
                    fix: "write picture or photo"))
        }
        if isName, body != .multipart, _pictureField.isGiven {
            faults.append(
                Fault(
                    .noEffect, at: path.key("picture_field"),
                    "\"picture_field\" does nothing here: only the form of multipart has fields",
                    fix: "set body: multipart, or delete it", part: .key, severity: .warning))
        }
        faults += trust.faults(at: path)
        if let fault = CameraProxy.fault(proxy, at: path.key("proxy")) { faults.append(fault) }
    }

    mutating func open(_ context: borrowing Context) throws {
        if trust.isUnproven {
            context.log.warning("the server's certificate is not checked: anybody in between can read and change all")
        }
        work = Work(
            context: copy context, target: try WebhookTarget(url.revealed),
            fetcher: try context.service(HTTPFetcher.self), mailbox: AlertMailbox(context.waker),
            filter: alerts.filter,
            queue: WebhookQueue(retries: retries, seed: context.id.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) }))
    }

    mutating func consume(_ item: consuming Event) throws -> Next {
        let event = item
        guard let context = work?.context else { return .ended }
        let time = context.captureTime.wallTime(at: event.captured)
        switch work?.filter.verdict(on: event, at: DayTime(event.wallTime ?? time)) {
        case .tell?: break
        case .leaveOut?:
            context.removals.count(.filtered)
            return .more
        case .isRepeat?, nil: return .more
        }
        let body = body(of: event, time)
        let removed = work?.queue.add(body, kind: event.kind.rawValue, node: event.node) ?? 0
        if removed > 0 { lost(removed, .full, "the server is too slow, alerts were left out") }
        send()
        return .more
    }

    mutating func wake() throws -> Next {
        takeOutcomes()
        return .more
    }

    private func body(of event: Event, _ time: WallTime) -> WebhookBody {
        var picture: Bytes?
        if body != .json, let work {
            do {
                picture = try WebhookBody.picture(of: event, encoder: work.encoder, pool: work.context.pool)
            } catch {
                work.context.log.warning("the picture of an event cannot be encoded", ["cause": error])
            }
            if let large = picture, large.count > WebhookBody.mostPicture {
                work.context.log.warning(
                    "the picture of an event is too large", ["size": ByteCount(bytes: large.count)])
                picture = nil
            }
        }
        return WebhookBody(body, json: event.json(time: time), picture: picture, field: pictureField)
    }

    // MARK: Requests

    /// Sends what is due.
    private mutating func send() {
        guard let work, let delivery = self.work?.queue.next(at: work.context.clock.now) else { return }
        let mailbox = work.mailbox
        let exchange = WebhookExchange { mailbox.put($0) }
        let transfer = work.fetcher.transfer(request(delivery.body, to: work.target), handler: exchange)
        self.work?.transfer = transfer
        transfer.start()
    }

    private func request(_ body: WebhookBody, to target: WebhookTarget) -> FetchRequest {
        var fields = HTTPHeaders()
        for field in headers.fields { fields.add(field.name, field.value.revealed) }
        if let token { fields.add("Authorization", "Bearer \(token.revealed)") }
        if let authorization = target.authorization { fields.add("Authorization", authorization) }
        fields.add("Content-Type", body.type)
        var request = FetchRequest(
            target.url, headers: fields, connectTimeout: timeout, maxRedirects: 0, verifiesTLS: tlsVerify,
            caFile: caFile, fingerprint: tlsFingerprint.flatMap { TLSFingerprint($0) },
            proxy: CameraProxy.text(proxy))
        // The user-info is sent as it is: to be asked for it costs a request without a body first.
        (request.username, request.password) = (nil, nil)
        request.shown = target.shown
        request.method = method.rawValue.uppercased()
        request.body = body.bytes
        request.timeout = timeout
        request.takesEveryStatus = true
        return request
    }

    /// What a server was told that it may say again.
    private var told: ToldSecrets {
        let target = work?.target
        return ToldSecrets(
            headers.fields.map(\.value.revealed)
                + [token?.revealed, target?.url.password, target?.authorization.map { String($0.dropFirst(6)) }]
                .compactMap(\.self))
    }

    private mutating func takeOutcomes() {
        for outcome in work?.mailbox.take() ?? [] { take(outcome) }
        send()
    }

    private mutating func take(_ outcome: WebhookExchange.Outcome) {
        work?.transfer = nil
        switch outcome {
        case .answered(let status, _, _) where (200..<300).contains(status):
            work?.queue.delivered()
            if work?.isFailing == true { work?.context.log.info("the server takes alerts again") }
            work?.isFailing = false
        case .answered(let status, let retryAfter, let text):
            let shown = work?.target.shown ?? ""
            let said = PrintableText.escaping(String(told.hidden(text).prefix(200)))
            failed(
                CampipeError(
                    .failed,
                    (300..<400).contains(status)
                        ? "\(shown) answers \(status): it redirects, which is not followed, since it might be told secrets"
                        : "\(shown) answers \(status)" + (said.isEmpty ? "" : ": \(said)")),
                isPassing: [408, 425, 429].contains(status) || status >= 500, asked: retryAfter)
        case .failed(let error):
            failed(error, isPassing: [.unavailable, .timedOut].contains(error.kind), asked: nil)
        case .cancelled:
            failed(CampipeError(.failed, "the request was called off"), isPassing: false, asked: nil)
        }
    }

    private mutating func failed(_ error: CampipeError, isPassing: Bool, asked: Duration?) {
        guard let context = work?.context else { return }
        let isLast = work?.isClosing == true
        switch work?.queue.failed(isPassing: isPassing && !isLast, asked: asked, at: context.clock.now) {
        case .again(let instant)?:
            let level: Log.Level = work?.isFailing == true ? .debug : .warning
            context.log.log(
                level, "an alert was not delivered, tries again",
                ["cause": error, "retry_in": instant - context.clock.now])
            let mailbox = work?.mailbox
            context.clock.schedule(at: instant) { mailbox?.nudge() }
        case .givenUp?:
            lost(1, .failed, "an alert was not delivered", error)
        case nil: break
        }
        work?.isFailing = true
    }

    /// Alerts that nobody was told; counted, and said less and less often.
    private mutating func lost(_ count: Int, _ reason: DropReason, _ message: String, _ cause: CampipeError? = nil) {
        guard let context = work?.context else { return }
        context.removals.count(reason, count)
        guard let told = work?.losses.happened(count, at: context.clock.now) else { return }
        if let cause {
            context.log.warning(message, ["count": told, "cause": cause])
        } else {
            context.log.warning(message, ["count": told])
        }
    }

    // MARK: The end

    mutating func finish() throws {
        guard let work else { return }
        let clock = work.context.clock
        let mailbox = work.mailbox
        let limit = clock.now + Self.patience
        self.work?.isClosing = true
        self.work?.queue.hurry()
        takeOutcomes()
        let timer = clock.schedule(at: limit) { mailbox.nudge() }
        defer { timer.cancel() }
        while self.work?.queue.isEmpty == false, clock.now < limit {
            mailbox.wait()
            takeOutcomes()
        }
        self.work?.transfer?.cancel()
        let left = self.work?.queue.clear() ?? 0
        if left > 0 { lost(left, .stopped, "the pipeline ended before alerts were delivered") }
    }
}
