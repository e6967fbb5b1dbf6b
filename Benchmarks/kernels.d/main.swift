// Times the kernels that motion is made of, beside memcpy of the bytes that each reads and writes; `Benchmarks/kernels`
// compiles it together with the kernels' own files.

import CTurboJPEG
import Glibc

/// CPU seconds of this thread.
func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The least of twelve rounds, in microseconds a call. The number of the call varies what it works on, so that nothing
/// is computed once for all.
func microseconds(_ calls: Int, _ body: (Int) -> Void) -> Double {
    var least = Double.infinity
    for _ in 0..<12 {
        let start = cpu()
        for call in 0..<calls { body(call) }
        least = min(least, (cpu() - start) / Double(calls) * 1e6)
    }
    return least
}

func tenths(_ value: Double) -> String {
    let scaled = Int((value * 10).rounded())
    return "\(scaled / 10).\(scaled % 10)"
}

func row(_ name: String, _ time: Double, bytes: Int, memcpy: Double) {
    let speed = Double(bytes) / time / 1000
    print("| \(name) | \(tenths(time)) | \(tenths(speed)) | \(tenths(speed / memcpy * 100)) % |")
}

func kernels(columns: Int, rows: Int) {
    let count = columns * rows
    let pictures = 8
    func bytes(_ seed: UInt32, _ range: UInt32) -> UnsafeMutablePointer<UInt8> {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: count * pictures + 64)
        var state = seed
        for index in 0..<count * pictures + 64 {
            state = state &* 1_664_525 &+ 1_013_904_223
            memory[index] = UInt8(truncatingIfNeeded: (state >> 16) % range)
        }
        return memory
    }
    let (a, b) = (bytes(1, 256), bytes(2, 256))
    let (marks, limits, target, wide) = (bytes(3, 2), bytes(4, 40), bytes(5, 2), bytes(6, 2))
    let states = bytes(7, 3)
    let fine = UnsafeMutablePointer<UInt16>.allocate(capacity: count)
    fine.initialize(repeating: 25_000, count: count)
    let sums = UnsafeMutablePointer<UInt16>.allocate(capacity: columns)
    sums.initialize(repeating: 0, count: columns)
    func at(_ memory: UnsafeMutablePointer<UInt8>, _ call: Int) -> UnsafeMutablePointer<UInt8> {
        memory + call % pictures * count
    }
    var sink = 0
    let copied = microseconds(2000) { memcpy(at(target, $0), at(a, $0 + 1), count) }
    let memcpySpeed = Double(2 * count) / copied / 1000
    print(
        "\nA plane of \(columns)x\(rows):\n\n| kernel | us | GB/s read and written | of memcpy's |\n|---|---|---|---|")
    row("memcpy", copied, bytes: 2 * count, memcpy: memcpySpeed)
    row(
        "smooth",
        microseconds(500) {
            MotionKernels.smooth(at(a, $0), columns, rows, scratch: sums, to: at(target, $0))
        }, bytes: 2 * count, memcpy: memcpySpeed)
    row(
        "changed",
        microseconds(500) {
            MotionKernels.changed(
                at(a, $0), at(b, $0), limits: at(limits, $0), count, looked: at(marks, $0), to: target)
        }, bytes: 5 * count, memcpy: memcpySpeed)
    row(
        "differing",
        microseconds(500) {
            sink &+= MotionKernels.differing(at(a, $0), at(b, $0), count, limit: 14, looked: at(marks, $0))
        }, bytes: 3 * count, memcpy: memcpySpeed)
    row(
        "sum", microseconds(500) { sink &+= MotionKernels.sum(at(marks, $0), count) }, bytes: count,
        memcpy: memcpySpeed)
    row(
        "despeckle",
        microseconds(500) {
            MotionKernels.despeckle(at(marks, $0), columns, rows, kept: target, wide: wide)
        }, bytes: 4 * count, memcpy: memcpySpeed)
    row(
        "follow",
        microseconds(500) {
            MotionKernels.follow(fine, at(a, $0), count, state: at(states, $0), rates: (900, 90, 600))
        }, bytes: 6 * count, memcpy: memcpySpeed)
    row(
        "whole", microseconds(500) { _ in MotionKernels.whole(fine, count, to: target) }, bytes: 3 * count,
        memcpy: memcpySpeed)
    row(
        "unrest",
        microseconds(500) {
            MotionKernels.unrest(fine, at(a, $0), at(b, $0), count, rise: 51, fall: 5)
        }, bytes: 6 * count, memcpy: memcpySpeed)
    row(
        "limits",
        microseconds(500) { _ in
            MotionKernels.limits(fine, count, base: 14, slack: 3, to: target)
        }, bytes: 3 * count, memcpy: memcpySpeed)
    row(
        "states", microseconds(500) { MotionKernels.states(at(marks, $0), count, to: target) }, bytes: 2 * count,
        memcpy: memcpySpeed)
    if sink == 1 { print("") }
}

/// JPEGs back to back, and what the first one's header says.
func plainPictures(_ path: String) -> (pictures: [UnsafeRawBufferPointer], header: JPEGScanHeader)? {
    guard let file = fopen(path, "r") else {
        print("\n\(path): cannot be read")
        return nil
    }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let count = ftell(file)
    rewind(file)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
    guard fread(bytes.baseAddress, 1, count, file) == count else { return nil }
    var starts: [Int] = []
    for index in 0..<count - 2 where bytes[index] == 0xFF && bytes[index + 1] == 0xD8 && bytes[index + 2] == 0xFF {
        starts.append(index)
    }
    let pictures = zip(starts, starts.dropFirst() + [count]).prefix(24).map {
        UnsafeRawBufferPointer(rebasing: bytes[$0..<$1])
    }
    guard let first = pictures.first, let header = JPEGScanHeader(first) else {
        print("\n\(path): not plain JPEGs")
        return nil
    }
    return (pictures, header)
}

func hundredths(_ value: Double) -> String {
    let scaled = Int((value * 100).rounded())
    return "\(scaled / 100).\(scaled / 10 % 10)\(scaled % 10)"
}

/// Ours beside TurboJPEG, and others of its reductions.
func compare(
    _ title: String, _ pictures: [UnsafeRawBufferPointer], turbo: (Int) -> Void, own: (String, (Int) -> Void),
    others: [(String, (Int) -> Void)] = []
) {
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: pictures.map(\.count).max() ?? 0, alignment: 64)
    let copied = microseconds(48) { target.copyMemory(from: pictures[$0 % pictures.count]) }
    let size = pictures.reduce(0) { $0 + $1.count } / pictures.count
    print("\n\(title), JPEGs of \(size / 1024) KiB, equal byte for byte:\n")
    print("| | us | MB/s of JPEG | ratio |\n|---|---|---|---|")
    print("| memcpy of the JPEG | \(tenths(copied)) | \(tenths(Double(size) / copied)) | |")
    let theirs = microseconds(48, turbo)
    for (name, time) in [("TurboJPEG", theirs), (own.0, microseconds(48, own.1))]
        + others.map({ ($0.0, microseconds(48, $0.1)) })
    {
        print("| \(name) | \(tenths(time)) | \(tenths(Double(size) / time)) | \(hundredths(time / theirs)) |")
    }
}

/// The luma of JPEGs at an eighth, ours and TurboJPEG's.
func eighths(_ path: String) {
    guard let (pictures, header) = plainPictures(path), let handle = tjInitDecompress() else { return }
    let (width, height) = ((header.width + 7) / 8, (header.height + 7) / 8)
    let ours = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height)
    let theirs = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height)
    var decoder = LumaEighth()
    func decode(_ index: Int) -> Bool {
        decoder.decode(pictures[index % pictures.count], size: (header.width, header.height), into: ours, stride: width)
    }
    func turbo(_ index: Int) {
        let jpeg = pictures[index % pictures.count]
        tjDecompress2(
            handle, jpeg.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(jpeg.count), theirs, Int32(width), 0,
            Int32(height), Int32(TJPF_GRAY.rawValue), 0)
    }
    for index in pictures.indices {
        turbo(index)
        guard decode(index), memcmp(ours, theirs, width * height) == 0 else { return print("\n\(path): not the same") }
    }
    compare(
        "Luma at an eighth of \(header.width)x\(header.height)", pictures, turbo: turbo,
        own: ("LumaEighth", { _ = decode($0) }))
}

/// The planes of 4:2:0 JPEGs at three eighths, ours and TurboJPEG's, which has more pixels to make at a half.
func threeEighths(_ path: String) {
    guard let (pictures, header) = plainPictures(path), let handle = tjInitDecompress() else { return }
    guard header.components.map(\.across) == [2, 1, 1], header.components.map(\.down) == [2, 1, 1] else { return }
    let room = header.width * header.height
    let ours = (0..<3).map { _ in UnsafeMutablePointer<UInt8>.allocate(capacity: room) }
    let theirs = (0..<3).map { _ in UnsafeMutablePointer<UInt8>.allocate(capacity: room) }
    func size(_ eighths: Int, _ plane: Int) -> (width: Int, height: Int) {
        func side(_ side: Int) -> Int { ((side * eighths + 7) / 8 + (plane > 0 ? 1 : 0)) / (plane > 0 ? 2 : 1) }
        return (side(header.width), side(header.height))
    }
    func turbo(_ eighths: Int) -> (Int) -> Void {
        { index in
            let jpeg = pictures[index % pictures.count]
            var targets: [UnsafeMutablePointer<UInt8>?] = theirs
            var strides = (0..<3).map { Int32(size(eighths, $0).width + 1) & ~1 }
            tjDecompressToYUVPlanes(
                handle, jpeg.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(jpeg.count), &targets,
                Int32(size(eighths, 0).width), &strides, Int32(size(eighths, 0).height), 0)
        }
    }
    var decoder = ThreeEighths()
    let targets = (0..<3).map { plane in
        let (width, height) = size(3, plane)
        return ThreeEighths.Target(start: ours[plane], stride: (width + 1) & ~1, width: width, height: height)
    }
    func decode(_ index: Int) -> Bool {
        decoder.decode(pictures[index % pictures.count], size: (header.width, header.height), into: targets)
    }
    for index in pictures.indices {
        turbo(3)(index)
        guard decode(index) else { return print("\n\(path): not taken") }
        for (plane, target) in targets.enumerated() {
            for y in 0..<target.height {
                let at = y * target.stride
                guard memcmp(ours[plane] + at, theirs[plane] + at, target.width) == 0 else {
                    return print("\n\(path): not the same in plane \(plane), row \(y)")
                }
            }
        }
    }
    compare(
        "Planes at three eighths of \(header.width)x\(header.height)", pictures, turbo: turbo(3),
        own: ("ThreeEighths", { _ = decode($0) }), others: [("TurboJPEG at a half", turbo(4))])
}

kernels(columns: 160, rows: 90)
kernels(columns: 240, rows: 135)
for path in CommandLine.arguments.dropFirst() {
    eighths(path)
    threeEighths(path)
}
