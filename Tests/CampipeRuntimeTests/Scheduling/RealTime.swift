import CampipeKit
import Foundation

/// Tries of a guarantee that is in real time, on a machine that may be busy with other things.
///
/// Beside each try a bare thread asks to be woken every 2 ms. While it is woken in time the machine is quiet, and the
/// guarantee has to hold as it stands. What is late for that thread, too, is the machine's: then times are multiplied,
/// which what breaks a guarantee (a consumer run inline, a worker that sleeps while others wait) breaks all the same.
enum RealTime {
    private static let scales = [1, 1, 4, 4, 10, 10]
    /// How late the bare thread is on a quiet machine at most, in a hundredth of its wakes.
    private static let quiet = Duration.microseconds(500)

    /// - Parameter attempt: Runs with all times multiplied by its argument; says whether the guarantee held, and what
    ///   was seen.
    /// - Returns: Whether it held in one of the tries, and what was seen in all.
    static func holds(_ attempt: (_ scale: Int) throws -> (holds: Bool, seen: String)) rethrows -> (Bool, String) {
        var seen: [String] = []
        var busy = 0
        for _ in scales.indices {
            let scale = scales[busy]
            let floor = WakeFloor()
            let result = try attempt(scale)
            let late = floor.end()
            seen.append("\(result.seen) at x\(scale), a bare thread \(late)")
            if result.holds { return (true, seen.joined(separator: "; ")) }
            if late > quiet || isSlowed { busy += 1 }
        }
        return (false, seen.joined(separator: "; "))
    }

    /// The thread sanitizer makes all of it many times slower, on a quiet machine too.
    private static var isSlowed: Bool {
        #if TSAN
            true
        #else
            false
        #endif
    }
}

/// How late this machine wakes a thread, from the start to the end.
private final class WakeFloor: Sendable {
    private let state = Lock<(late: [Duration], isOver: Bool)>(([], false))

    init() {
        let clock = SystemClock()
        let thread = Thread { [state] in
            while !state.withLock(\.isOver) {
                let began = clock.now
                usleep(2000)
                let late = clock.now - began - .milliseconds(2)
                state.withLock { $0.late.append(late) }
            }
        }
        thread.start()
    }

    /// - Returns: What a hundredth of the wakes was later than.
    func end() -> Duration {
        let late = state.withLock { state in
            state.isOver = true
            return state.late.sorted()
        }
        return late.isEmpty ? .seconds(1) : late[late.count * 99 / 100]
    }
}
