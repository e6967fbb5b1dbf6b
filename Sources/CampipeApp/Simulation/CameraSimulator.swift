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
    private let began: Instant
    private let state = Lock<(listener: Int32, isStopped: Bool)>((-1, false))

    init(_ cameras: [SimulatedCamera], faults: SimulationFaults, clock: any PipelineClock) {
        self.cameras = cameras
        self.faults = faults
        self.clock = clock
        began = clock.now
    }

    /// Begins to listen.
    ///
    /// - Returns: The port that was taken.
    /// - Throws: `CampipeError` when it cannot.
    func start(on address: ListenAddress) throws -> UInt16 {
        let (listener, bound) = try address.open()
        // Its own thread may wait here.
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) & ~O_NONBLOCK)
        state.withLock { $0.listener = listener }
        let thread = Thread { [self] in accept(on: listener) }
        thread.name = "simulate"
        thread.start()
        return bound.port
    }

    func stop() {
        let listener = state.withLock { state -> Int32 in
            defer { state = (-1, true) }
            return state.listener
        }
        guard listener >= 0 else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func accept(on listener: Int32) {
        while !isStopped {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let thread = Thread { [self] in
                serve(SimulatedViewer(client))
            }
            thread.name = "simulate-viewer"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    // MARK: One viewer

    private func serve(_ viewer: SimulatedViewer) {
        guard let path = viewer.readPath() else { return }
        let parts = path.split(separator: "/").map(String.init)
        var index = 0
        var rest = parts[...]
        if let first = rest.first, first.hasPrefix("cam"), let number = Int(first.dropFirst(3)) {
            index = number - 1
            rest = rest.dropFirst()
        }
        guard cameras.indices.contains(index) else { return viewer.refuse() }
        switch rest.first {
        case nil, "stream", "video", "mjpg": stream(cameras[index], to: viewer)
        case "snapshot": snapshot(cameras[index], to: viewer)
        default: viewer.refuse()
        }
    }

    private func snapshot(_ camera: SimulatedCamera, to viewer: SimulatedViewer) {
        guard let jpeg = try? camera.picture(camera.number(at: clock.now - began)) else { return }
        viewer.send(
            Array("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\nConnection: close\r\n\r\n".utf8))
        viewer.send(jpeg.array)
    }

    private func stream(_ camera: SimulatedCamera, to viewer: SimulatedViewer) {
        let type = faults.omitsBoundary ? "video/x-motion-jpeg" : "multipart/x-mixed-replace; boundary=simulated"
        viewer.send(Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n".utf8))
        let connected = clock.now
        var number = camera.number(at: clock.now - began)
        var last = Duration.zero
        while !isStopped, viewer.isOpen {
            let due = began + camera.time(of: number)
            wait(until: due)
            let now = clock.now - connected
            let fault = faults.fault(from: last, to: now)
            last = now
            guard let jpeg = try? camera.picture(number).array else { return }
            switch fault {
            case .cut:
                viewer.send(part(Array(jpeg.prefix(jpeg.count / 2)), length: jpeg.count))
                return
            case .stall:
                wait(until: clock.now + SimulationFaults.stall)
            case .damage:
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
