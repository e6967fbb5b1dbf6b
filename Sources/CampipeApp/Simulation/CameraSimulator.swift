import CampipeHTTP
import CampipeKit
import Foundation
import Glibc

/// Serves demo scenes as cameras do: MJPEG over HTTP, one thread a viewer, with the faults that were asked for.
///
/// For newcomers, tests and bug reports. It is not the server of `http` sinks, on purpose: it must be able to do wrong.
final class CameraSimulator: Sendable {
    private let cameras: [SimulatedCamera]
    private let faults: SimulationFaults
    private let clock: any PipelineClock
    private let log: Log
    private let began: Instant
    private let state = Lock<(listener: Int32, isStopped: Bool)>((-1, false))

    init(_ cameras: [SimulatedCamera], faults: SimulationFaults, clock: any PipelineClock, log: Log = .silent) {
        self.cameras = cameras
        self.faults = faults
        self.clock = clock
        self.log = log
        began = clock.now
    }

    /// Begins to listen.
    ///
    /// - Returns: The address, with the port that was taken.
    /// - Throws: `CampipeError` when it cannot.
    func start(on address: ListenAddress) throws -> ListenAddress {
        let (listener, bound) = try address.open(setting: "--listen")
        // Its own thread may wait here.
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) & ~O_NONBLOCK)
        state.withLock { $0.listener = listener }
        let thread = Thread { [self] in
            accept(on: listener)
            state.withLock { $0.listener = -1 }
            close(listener)
        }
        thread.name = "simulate"
        thread.start()
        return bound
    }

    /// Takes no more viewers, and ends those there are at their next picture.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if state.listener >= 0 { shutdown(state.listener, Int32(SHUT_RDWR)) }
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func accept(on listener: Int32) {
        while !isStopped {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: wait(until: clock.now + .milliseconds(100))
                default: return
                }
                continue
            }
            let thread = Thread { [self] in serve(SimulatedViewer(client)) }
            thread.name = "simulate-viewer"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    // MARK: One viewer

    private func serve(_ viewer: SimulatedViewer) {
        guard let path = viewer.readPath() else { return }
        var parts = path.split(separator: "/").map(String.init)[...]
        var index = 0
        if let first = parts.first, first.hasPrefix("cam"), let number = Int(first.dropFirst(3)) {
            index = number - 1
            parts = parts.dropFirst()
        }
        guard cameras.indices.contains(index) else { return viewer.refuse() }
        do {
            switch parts.first {
            case nil, "stream", "video", "mjpg": try stream(cameras[index], number: index + 1, to: viewer)
            case "snapshot": try snapshot(cameras[index], to: viewer)
            default: viewer.refuse()
            }
        } catch {
            log.error("a picture cannot be made", ["camera": index + 1, "cause": error])
        }
    }

    private func snapshot(_ camera: SimulatedCamera, to viewer: SimulatedViewer) throws {
        let jpeg = try camera.picture(camera.number(at: clock.now - began))
        viewer.sendHead(["Content-Type: image/jpeg", "Content-Length: \(jpeg.count)"])
        viewer.send(jpeg.array)
    }

    /// - Parameter place: The camera's number, for the log.
    private func stream(_ camera: SimulatedCamera, number place: Int, to viewer: SimulatedViewer) throws {
        let type = faults.omitsBoundary ? "video/x-motion-jpeg" : "multipart/x-mixed-replace; boundary=simulated"
        viewer.sendHead(["Content-Type: \(type)", "Cache-Control: no-store"])
        let connected = clock.now
        var number = camera.number(at: clock.now - began)
        var last = Duration.zero
        while !isStopped, viewer.isOpen {
            wait(until: began + camera.time(of: number))
            let now = clock.now - connected
            let fault = faults.fault(from: last, to: now)
            last = now
            let jpeg = try camera.picture(number).array
            switch fault {
            case .cut:
                log.info("plays a cut: hangs up in the middle of a picture", ["camera": place, "after": now])
                viewer.send(part(Array(jpeg.prefix(jpeg.count / 2)), length: jpeg.count))
                return
            case .stall:
                log.info(
                    "plays a stall: sends nothing, with the connection open",
                    ["camera": place, "after": now, "lasts": faults.stallFor])
                wait(until: clock.now + faults.stallFor)
                // The time of the stall does not count: between two of them there are pictures.
                last = clock.now - connected
            case .damage:
                log.info("plays damage: sends a broken picture", ["camera": place, "after": now])
                let damaged = SimulationFaults.damaged(jpeg, number: number)
                viewer.send(part(damaged, length: damaged.count))
            case nil:
                viewer.send(part(jpeg, length: jpeg.count))
            }
            number = max(number + 1, camera.number(at: clock.now - began))
        }
    }

    private func part(_ jpeg: [UInt8], length: Int) -> [UInt8] {
        if faults.omitsBoundary { return jpeg }
        return Array("--simulated\r\nContent-Type: image/jpeg\r\nContent-Length: \(length)\r\n\r\n".utf8) + jpeg
            + Array("\r\n".utf8)
    }

    /// Waits on this viewer's own thread, in pieces, so that stopping ends it soon.
    private func wait(until instant: Instant) {
        while !isStopped {
            let rest = (instant - clock.now).nanoseconds
            guard rest > 0 else { return }
            usleep(useconds_t(min(rest / 1000 + 1, 200_000)))
        }
    }
}
