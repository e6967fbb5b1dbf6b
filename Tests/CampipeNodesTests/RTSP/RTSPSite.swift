import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

/// A camera on loopback, and a source that reads it by a manual clock.
final class RTSPSite {
    let server: RTSPPlayback
    let sessions = RTSPSessions()
    let clock = ManualClock(now: .zero + .seconds(100))

    init(_ script: RTSPPlayback.Script) throws { server = try RTSPPlayback(script) }
    init(_ script: @escaping @Sendable (String) -> RTSPPlayback.Script) throws { server = try RTSPPlayback(script) }

    deinit {
        sessions.stop()
        server.stop()
    }

    func source(_ more: Value.ValueMap = [:], path: String = "live") throws -> NodeHarness {
        var services = Services()
        services.add(sessions)
        var options = more
        if options["url"] == nil { options["url"] = .text(server.url(path)) }
        return try NodeHarness(
            Registration(source: RTSPSource.self), options: options, isLive: true, services: services, clock: clock)
    }

    /// Runs the source until a condition holds or it throws.
    ///
    /// - Returns: What it threw.
    func run(_ harness: NodeHarness, until condition: () -> Bool = { false }) -> CampipeError? {
        var error: CampipeError?
        _ = eventually {
            do {
                try harness.run(until: clock.now)
            } catch let thrown as CampipeError {
                error = thrown
                return true
            } catch {
                return true
            }
            return condition()
        }
        return error
    }
}

extension NodeHarness {
    /// How many items gaps on the main output stand for, by reason.
    var missing: [DropReason: Int] {
        emissions().reduce(into: [:]) { found, emission in
            guard case .gap(let gap) = emission, let reason = gap.reasons.list.first else { return }
            found[reason, default: 0] += gap.count
        }
    }
}

/// The numbers that stand in the pictures of a stream, as bars.
enum Bars {
    static func numbers(_ packets: [Packet]) throws -> [Int] {
        let pool = FramePool()
        guard let format = packets.first?.format, format.coding != .jpeg else {
            return try packets.map { number(try JPEGDecoder().decode($0, maxWidth: nil, lumaOnly: true, pool: pool)) }
        }
        let decoder = try VideoDecoder(format)
        var frames: [Frame] = []
        for packet in packets { frames += try decoder.decode(packet, pool: pool) }
        frames += try decoder.drain(pool: pool)
        return frames.map(number)
    }

    private static func number(_ frame: Frame) -> Int {
        var frame = frame
        let block = Double(frame.size.width / 10 * 10) / 10
        return frame.withLuma { luma, stride in
            (0..<8).reduce(0) { number, bit in
                let x = Int((Double(bit) + 0.5) * block)
                return number * 2 + (luma[Int(block / 2) * stride + x] > 127 ? 1 : 0)
            }
        }
    }
}
