import CampipeKit
import Foundation
import Testing

@testable import CampipeHTTP

/// One connection a URL, whoever reads it; and a URL that answers with one picture is asked again.
@Suite struct CameraSessionTests {
    private let own: OwnFetcher
    private var fetcher: HTTPFetcher { own.fetcher }
    private let clock = ManualClock()

    init() throws {
        own = try OwnFetcher()
    }

    private static let head = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=b\r\n\r\n".utf8)

    private static func stream(_ count: Int) throws -> [UInt8] {
        let picture = try #require(Case.named("jpeg-444")).bytes()
        let part = Array("--b\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + picture + [13, 10]
        return head + (0..<count).flatMap { _ in part }
    }

    /// Waits until the fetcher's thread has done what was asked of it.
    private func settle() {
        let done = DispatchSemaphore(value: 0)
        fetcher.onLoop { done.signal() }
        done.wait()
    }

    private var sessions: Int {
        let count = Lock(0)
        fetcher.onLoop { [fetcher] in count.withLock { $0 = fetcher.sessions.count } }
        settle()
        return count.withLock { $0 }
    }

    /// A camera that sends some pictures, once it may, and then nothing more.
    private static func stallingServer(_ pictures: Int, after go: DispatchSemaphore? = nil) throws -> ReplayServer {
        let bytes = try stream(pictures)
        return try ReplayServer { _ in
            _ = go?.wait(timeout: .now() + 20)
            return .init(bytes: bytes, then: .stall)
        }
    }

    @Test("Two readers of one URL share one connection, and each picture goes to both by reference")
    func shared() throws {
        let both = DispatchSemaphore(value: 0)
        let server = try Self.stallingServer(3, after: both)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/cam"
        let first = try CameraReader(url, fetcher: fetcher, clock: clock)
        let second = try CameraReader(url, fetcher: fetcher, clock: clock)
        settle()
        both.signal()
        #expect(first.wait { $0.pictures.count == 3 })
        #expect(second.wait { $0.pictures.count == 3 })
        #expect(second.opened == 1)
        // Who comes later learns the head at once; the stream is the same.
        let third = try CameraReader(url, fetcher: fetcher, clock: clock)
        #expect(third.wait { $0.opened == 1 })
        first.leave()
        second.leave()
        settle()
        #expect(server.openConnections == 1)
        #expect(third.end == nil)
        third.leave()
        #expect(sessions == 0)
        for _ in 0..<1000 where server.openConnections > 0 { usleep(2000) }
        #expect(server.openConnections == 0)
        #expect(server.connections == 1)
    }

    @Test("Another user, password, certificate or proxy is another connection")
    func identities() throws {
        let server = try Self.stallingServer(1)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/cam"
        let readers = [
            try CameraReader(url, fetcher: fetcher, clock: clock),
            try CameraReader(url, fetcher: fetcher, clock: clock, username: "a", password: "b"),
            try CameraReader(url, fetcher: fetcher, clock: clock, username: "a", password: "c"),
            try CameraReader(url, fetcher: fetcher, clock: clock) { $0.caFile = "/none" },
            try CameraReader(url, fetcher: fetcher, clock: clock) { $0.proxy = "" },
        ]
        for reader in readers { #expect(reader.wait { $0.pictures.count == 1 }) }
        #expect(server.connections == readers.count)
        // In the URL or beside it, it is the same user.
        let same = try CameraReader(
            "http://a:b@127.0.0.1:\(server.port)/cam", fetcher: fetcher, clock: clock)
        #expect(same.wait { $0.opened == 1 })
        #expect(server.connections == readers.count)
    }

    @Test("A reader that takes nothing loses its oldest pictures, counted, and holds up no other")
    func slowReader() throws {
        let both = DispatchSemaphore(value: 0)
        let server = try Self.stallingServer(400, after: both)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/cam"
        let stuck = try CameraReader(url, fetcher: fetcher, clock: clock)
        let brisk = try CameraReader(url, fetcher: fetcher, clock: clock, capacity: 1000)
        settle()
        both.signal()
        #expect(brisk.wait { $0.pictures.count == 400 })
        #expect(brisk.overrun == 0)
        #expect(stuck.waiting <= 40, "one read's worth at most: \(stuck.waiting)")
        stuck.take()
        #expect(stuck.pictures.count + stuck.overrun == 400)
        #expect(stuck.overrun >= 360)
    }

    // MARK: What a reader does in its wake-up, on the fetcher's thread

    @Test("A reader that takes in its wake-up is given each picture")
    func takesWhenWoken() throws {
        let ready = DispatchSemaphore(value: 0)
        let server = try Self.stallingServer(400, after: ready)
        defer { server.stop() }
        let connection = Lock<MJPEGConnection?>(nil)
        let taken = Lock((pictures: 0, overrun: 0))
        let done = DispatchSemaphore(value: 0)
        let request = FetchRequest(try CameraURL("http://127.0.0.1:\(server.port)/cam"))
        let made = MJPEGConnection(request, fetcher: fetcher, clock: clock) {
            guard let connection = connection.withLock(\.self) else { return }
            while let event = connection.next() {
                switch event {
                case .picture:
                    let count = taken.withLock { taken in
                        taken.pictures += 1
                        return taken.pictures
                    }
                    if count == 400 { done.signal() }
                case .overrun(let count, _): taken.withLock { $0.overrun += count }
                default: break
                }
            }
        }
        connection.withLock { $0 = made }
        settle()
        ready.signal()
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(taken.withLock(\.overrun) == 0)
        connection.withLock { $0 = nil }
        made.cancel()
        #expect(sessions == 0)
    }

    @Test("A reader that leaves in its wake-up hears nothing more, and the others go on")
    func leavesWhenWoken() throws {
        let both = DispatchSemaphore(value: 0)
        let server = try Self.stallingServer(50, after: both)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/cam"
        let connection = Lock<MJPEGConnection?>(nil)
        let wakes = Lock(0)
        let made = MJPEGConnection(FetchRequest(try CameraURL(url)), fetcher: fetcher, clock: clock) {
            wakes.withLock { $0 += 1 }
            // The last reference goes here too.
            connection.withLock { connection -> MJPEGConnection? in
                defer { connection = nil }
                return connection
            }?.cancel()
        }
        connection.withLock { $0 = consume made }
        let brisk = try CameraReader(url, fetcher: fetcher, clock: clock, capacity: 1000)
        settle()
        both.signal()
        #expect(brisk.wait { $0.pictures.count == 50 })
        #expect(wakes.withLock(\.self) == 1)
        brisk.leave()
        #expect(sessions == 0)
    }

    @Test("A reader that reads anew in the wake-up that told it the end has a new connection")
    func readsAnewWhenWoken() throws {
        let bytes = try Self.stream(2)
        let server = try ReplayServer { _ in .init(bytes: bytes, then: .reset) }
        defer { server.stop() }
        let anew = Anew(FetchRequest(try CameraURL("http://127.0.0.1:\(server.port)/cam")), fetcher, clock, times: 3)
        anew.open()
        #expect(anew.done.wait(timeout: .now() + 20) == .success)
        #expect(server.connections == 3)
        #expect(sessions == 0)
    }

    /// Reads a camera again each time its connection ends, as a source does whose turn is on the fetcher's thread.
    private final class Anew: Sendable {
        let done = DispatchSemaphore(value: 0)
        private let request: FetchRequest
        private let fetcher: HTTPFetcher
        private let clock: ManualClock
        private let state: Lock<(left: Int, connection: MJPEGConnection?)>

        init(_ request: FetchRequest, _ fetcher: HTTPFetcher, _ clock: ManualClock, times: Int) {
            self.request = request
            self.fetcher = fetcher
            self.clock = clock
            state = Lock((times, nil))
        }

        func open() {
            let connection = MJPEGConnection(request, fetcher: fetcher, clock: clock) { [weak self] in self?.turn() }
            state.withLock { $0.connection = connection }
        }

        private func turn() {
            while let event = state.withLock(\.connection)?.next() {
                guard case .ended = event else { continue }
                let left = state.withLock { state -> Int in
                    state.left -= 1
                    state.connection = nil
                    return state.left
                }
                if left > 0 { open() } else { done.signal() }
                return
            }
        }
    }

    @Test("What ends a connection ends it for all its readers, with the same cause")
    func ends() throws {
        let bytes = try Self.stream(2)
        let all = DispatchSemaphore(value: 0)
        let server = try ReplayServer { _ in
            _ = all.wait(timeout: .now() + 20)
            return .init(bytes: bytes, then: .reset)
        }
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/cam"
        let readers = try (0..<3).map { _ in try CameraReader(url, fetcher: fetcher, clock: clock) }
        settle()
        all.signal()
        for reader in readers { #expect(reader.wait { $0.end != nil }) }
        #expect(Set(readers.map { $0.end??.message ?? "" }).count == 1)
        #expect(sessions == 0)
    }

    @Test("A refused password is asked once in 15 s, however many readers try")
    func refusals() throws {
        let server = try ReplayServer { _ in
            .init(bytes: Array("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        defer { server.stop() }
        let url = "http://u:wrong@127.0.0.1:\(server.port)/cam"
        for (second, asked) in [(0, 1), (5, 1), (14, 1), (15, 2), (29, 2), (31, 3)] {
            clock.advance(to: .zero + .seconds(second))
            for _ in 0..<3 {
                let reader = try CameraReader(url, fetcher: fetcher, clock: clock)
                #expect(reader.wait { $0.end != nil })
                #expect(reader.end??.kind == .unauthorized)
            }
            #expect(server.requests.count == asked, "after \(second) s")
        }
        // Another password is another matter.
        let other = try CameraReader(url.replacing("wrong", with: "other"), fetcher: fetcher, clock: clock)
        #expect(other.wait { $0.end != nil })
        #expect(server.requests.count == 4)
    }

    @Test("Who joins a connection that has been silent gets a new one, and so does who waited there")
    func silence() throws {
        let server = try Self.stallingServer(1)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/cam"
        let patient = try CameraReader(url, fetcher: fetcher, clock: clock)
        #expect(patient.wait { $0.pictures.count == 1 })
        clock.advance(by: .seconds(4))
        let early = try CameraReader(url, fetcher: fetcher, clock: clock)
        #expect(early.wait { $0.opened == 1 })
        early.leave()
        clock.advance(by: .seconds(2))
        let late = try CameraReader(url, fetcher: fetcher, clock: clock)
        #expect(late.wait { $0.pictures.count == 1 })
        #expect(patient.wait { $0.pictures.count == 2 })
        #expect(patient.end == nil)
        #expect(server.connections == 2)
    }

    // MARK: One picture an answer

    /// A camera that answers with one picture, the same for `repeats` requests.
    private func snapshots(
        repeats: Int, validator: String?, type: String = "image/jpeg"
    ) throws -> ReplayServer {
        let pictures = try ["jpeg-444", "jpeg-422"].map { try #require(Case.named($0)).bytes() }
        let asked = Lock(0)
        return try ReplayServer { request in
            let number = asked.withLock { asked in
                asked += 1
                return (asked - 1) / repeats
            }
            let tag = "\"\(number)\""
            let date = "Mon, 0\(number % 9 + 1) Jan 2024 00:00:00 GMT"
            let isSame =
                validator == "ETag"
                ? request.headers["if-none-match"] == tag
                : request.headers["if-modified-since"] == date
            let picture = pictures[number % 2]
            let field = validator.map { "\($0): \($0 == "ETag" ? tag : date)\r\n" } ?? ""
            if validator != nil, isSame {
                return .init(bytes: Array("HTTP/1.1 304 Not Modified\r\n\(field)\r\n".utf8), then: .keep)
            }
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(field)Content-Length: \(picture.count)\r\n\r\n"
            return .init(bytes: Array(head.utf8) + picture, then: .keep)
        }
    }

    @Test(
        "It is asked every so often over one connection; an unchanged picture is not sent again, and is a sign of life",
        arguments: ["ETag", "Last-Modified", nil] as [String?])
    func polling(validator: String?) throws {
        let server = try snapshots(repeats: 3, validator: validator)
        defer { server.stop() }
        let reader = try CameraReader(
            "http://127.0.0.1:\(server.port)/shot.jpg", fetcher: fetcher, clock: clock, every: .seconds(10))
        for number in 0..<7 {
            #expect(reader.wait { $0.rests == number + 1 })
            #expect(reader.restsUntil == .zero + .seconds(10 * (number + 1)))
            clock.advance(by: .seconds(10))
        }
        #expect(reader.pictures.count == (validator == nil ? 7 : 3))
        #expect(reader.end == nil)
        #expect(server.connections == 1)
    }

    @Test("A picture with a length and without a type is one too; a stream of one part is not")
    func stillByShape() throws {
        let picture = try #require(Case.named("jpeg-444")).bytes()
        let server = try ReplayServer { request in
            request.target == "/still"
                ? .init(bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: \(picture.count)\r\n\r\n".utf8) + picture)
                : .init(bytes: Self.head + Array("--b\r\n\r\n".utf8) + picture + Array("\r\n--b--\r\n".utf8))
        }
        defer { server.stop() }
        let still = try CameraReader("http://127.0.0.1:\(server.port)/still", fetcher: fetcher, clock: clock)
        #expect(still.wait { $0.rests == 1 })
        let stream = try CameraReader("http://127.0.0.1:\(server.port)/stream", fetcher: fetcher, clock: clock)
        #expect(stream.wait { $0.end != nil })
        #expect(stream.pictures.count == 1 && stream.rests == 0)
    }

    @Test("Readers that ask at different times share its session, each as often as it wants")
    func differentTimes() throws {
        let server = try snapshots(repeats: 1, validator: "ETag")
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/shot.jpg"
        let often = try CameraReader(url, fetcher: fetcher, clock: clock, every: .seconds(1))
        #expect(often.wait { $0.rests == 1 })
        let seldom = try CameraReader(url, fetcher: fetcher, clock: clock, every: .seconds(3))
        #expect(seldom.wait { $0.rests == 1 })
        for second in 1...6 {
            clock.advance(by: .seconds(1))
            #expect(often.wait { $0.rests == second + 1 }, "\(second): \(often.rests)")
        }
        #expect(seldom.wait { $0.rests == 3 })
        #expect(often.pictures.count == 7 && seldom.pictures.count == 3)
        #expect(server.connections == 1)
        #expect(server.requests.count == 8)
        // Nobody who has no picture yet is told that it is unchanged.
        #expect(server.requests[1].headers["if-none-match"] == nil)
    }

    @Test("An unasked-for 304 is an error")
    func strayUnchanged() throws {
        let server = try ReplayServer { _ in .init(bytes: Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8)) }
        defer { server.stop() }
        let reader = try CameraReader("http://127.0.0.1:\(server.port)/", fetcher: fetcher, clock: clock)
        #expect(reader.wait { $0.end != nil })
        #expect(reader.end??.kind == .unavailable)
    }
}

/// What waits for one reader.
@Suite struct CameraMailboxTests {
    private func picture(_ bytes: Int = 100) -> MJPEGConnection.Event {
        .picture(
            JPEGPicture(bytes: Bytes([UInt8](repeating: 0, count: bytes)), width: 1, height: 1), captured: .zero)
    }

    @Test("It is full by pictures, by bytes, or by refusals, and takes them beyond that only when told to make room")
    func full() {
        var mailbox = CameraMailbox(capacity: 3)
        for count in 1...3 {
            #expect(!mailbox.isFull)
            mailbox.add([picture()], evicts: false)
            #expect(mailbox.pictures == count)
        }
        #expect(mailbox.isFull)
        mailbox.add([picture(), picture()], evicts: true)
        #expect(mailbox.pictures == 3)
        guard case .overrun(let count, _) = mailbox.take() else {
            Issue.record("the loss stands where the pictures were")
            return
        }
        #expect(count == 2)
        var heavy = CameraMailbox(capacity: 3)
        heavy.add([picture(CameraMailbox.byteLimit)], evicts: true)
        #expect(heavy.isFull && heavy.pictures == 1)
        heavy.add([picture(CameraMailbox.byteLimit)], evicts: true)
        #expect(heavy.pictures == 1)
    }

    @Test("Refusals of one kind are counted together, and any number takes bounded room without losing count")
    func refusals() {
        var mailbox = CameraMailbox(capacity: 2)
        for number in 0..<10_000 {
            mailbox.add([.dropped(number % 3 == 0 ? .notJPEG : .tooLarge, count: 1)], evicts: false)
        }
        #expect(mailbox.isFull)
        var events = 0
        var count = 0
        while let event = mailbox.take() {
            events += 1
            if case .dropped(_, let more) = event { count += more }
        }
        #expect(events <= CameraMailbox.eventLimit)
        #expect(count == 10_000)
    }
}
