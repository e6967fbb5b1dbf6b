import CampipeKit
import Foundation

@testable import CampipeHTTP

/// A reader of a camera that gathers what comes, for a test to wait for.
final class CameraReader {
    private let bell = DispatchSemaphore(value: 0)
    private var connection: MJPEGConnection?
    private(set) var pictures: [[UInt8]] = []
    private(set) var captured: [Instant] = []
    private(set) var overrun = 0
    private(set) var opened = 0
    private(set) var drops: [String] = []
    private(set) var restsUntil: Instant?
    private(set) var rests = 0
    /// nil while it goes on.
    private(set) var end: CampipeError??

    init(
        _ url: String, fetcher: HTTPFetcher, clock: any PipelineClock = ManualClock(), capacity: Int = 4,
        every: Duration = .seconds(1), username: String? = nil, password: String? = nil,
        _ change: (inout FetchRequest) -> Void = { _ in }
    ) throws {
        var request = FetchRequest(try CameraURL(url), username: username, password: password)
        change(&request)
        let bell = bell
        connection = MJPEGConnection(request, fetcher: fetcher, clock: clock, capacity: capacity, every: every) {
            bell.signal()
        }
    }

    /// Takes what is there.
    func take() {
        while let event = connection?.next() {
            switch event {
            case .opened: opened += 1
            case .picture(let picture, let captured):
                pictures.append(picture.bytes.array)
                self.captured.append(captured)
            case .dropped(let reason, let count): drops += Array(repeating: reason.name, count: count)
            case .overrun(let count, _): overrun += count
            case .resting(let until):
                restsUntil = until
                rests += 1
            case .ended(let error): end = .some(error)
            }
        }
    }

    /// Takes what comes until a condition holds, for twenty seconds at most.
    func wait(until condition: (CameraReader) -> Bool) -> Bool {
        for _ in 0..<2000 {
            take()
            if condition(self) { return true }
            _ = bell.wait(timeout: .now() + .milliseconds(10))
        }
        return false
    }

    /// How many pictures wait, taken by nobody.
    var waiting: Int { connection?.waiting ?? 0 }

    func leave() {
        connection?.cancel()
        connection = nil
    }
}
