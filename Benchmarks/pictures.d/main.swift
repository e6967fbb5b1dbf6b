// Times what turns pictures and what covers parts of them, beside memcpy of the bytes that each reads and writes;
// `Benchmarks/pictures` links it with the release build.

import CampipeKit
import CampipeMedia
import CampipeNodes
import Glibc

/// CPU seconds of this thread.
func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The least of twelve rounds, in microseconds a call.
func microseconds(_ calls: Int, _ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<12 {
        let start = cpu()
        for _ in 0..<calls { try body() }
        least = min(least, (cpu() - start) / Double(calls) * 1e6)
    }
    return least
}

let size = Size(1280, 720)
let pool = FramePool()

func picture() -> Frame {
    let buffer = pool.buffer(.yuv420, size)
    for index in buffer.planes.indices {
        buffer.withMutablePlane(index) { base, plane in
            for y in 0..<plane.height { for x in 0..<plane.width { base[y * plane.stride + x] = UInt8((x ^ y) & 255) } }
        }
    }
    return Frame(buffer, captured: .zero, pts: MediaTime(ticks: 0, timebase: .nanoseconds))
}

func row(_ name: String, _ time: Double, _ copied: Double) {
    print("| \(name) | \(Int(time.rounded())) | \(Int((copied / time * 100).rounded())) % |")
}

let bytes = size.pixels * 3 / 2
let (from, to) = (
    UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64),
    UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
)
memset(from, 1, bytes)
let copied = microseconds(50) { memcpy(to, from, bytes) }
print("A picture of \(size), yuv420:\n\n| | us | of memcpy's speed |\n|---|---|---|")
row("memcpy", copied, copied)
let frame = picture()
let scaler = Scaler()
for (name, orientation) in [
    ("flip horizontal", Orientation(quarters: 0, flipsX: true, flipsY: false)),
    ("turn by 180", Orientation(quarters: 2, flipsX: false, flipsY: false)),
    ("turn by 90", Orientation(quarters: 1, flipsX: false, flipsY: false)),
] {
    row(name, try microseconds(20) { _ = try Turner.turn(frame, orientation, scaler: scaler, pool: pool) }, copied)
}
for kind in ["fill", "pixelate", "blur"] {
    let options: Value.ValueMap = [
        "zones": [[["0", "0"], ["1", "0"], ["1", "1"], ["0", "1"]]], "kind": .plain(kind),
    ]
    let harness = try NodeHarness(BuiltInNodes.privacyMask, options: options)
    row(
        "mask of all, \(kind)",
        try microseconds(10) {
            try harness.push(frame)
            _ = harness.takeItems(Frame.self)
        }, copied)
}
