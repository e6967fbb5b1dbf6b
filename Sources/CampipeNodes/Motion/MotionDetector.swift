import CampipeKit

/// Finds what moves in a series of small luma planes. A value without I/O and clock: same planes, same answers.
///
/// It keeps a background that follows slowly, measures the noise and the exposure of each picture, and calls a
/// connected region a mover when it stands out from the background and also changed lately: what stands out and rests
/// (a parked car, the place that something left) is no motion, and becomes background soon. A change of most of the
/// picture at once is the light, and the background begins anew.
struct MotionDetector: Sendable {
    /// What one picture showed.
    struct Observation: Hashable, Sendable {
        /// The movers, the largest first.
        var regions: [Region] = []
        /// The share of the picture that moves, 0…1.
        var area = 0.0
        /// How clearly something moves, 0…1.
        var score = 0.0
        /// Whether it counts as motion: something moves, and did so before.
        var isMotion = false
        /// When this motion was first seen.
        var since = Instant.zero
        /// Whether the background began anew: the first picture, another size, a light that was switched.
        var beganAnew = false
    }

    private let settings: MotionSettings
    private let zones: MotionZones
    private var columns = 0
    private var rows = 0

    private var background: [UInt16] = []
    private var picture: [UInt8] = []
    private var before: [UInt8] = []
    private var references: [Reference] = []
    private var looked: [UInt8] = []
    private var counted: [UInt8] = []
    private var lookedCount = 0
    private var work = Work()
    private var fit = ExposureFit()
    private var finder = RegionFinder()

    private var began = Instant.zero
    private var last = Instant.zero
    private var taken = 0
    /// The noise of late: it rises at once and falls slowly.
    private var noise = 1.0
    private var firstSeen: Instant?
    private var lastSeen: Instant?

    /// A smoothed picture to compare with, and when it was.
    private struct Reference: Sendable {
        var at: Instant
        var cells: [UInt8]
    }

    /// Memory that each picture uses again.
    private struct Work: Sendable {
        var sums: [UInt16] = []
        /// The background in whole levels.
        var levels: [UInt8] = []
        var changed: [UInt8] = []
        var moved: [UInt8] = []
        var kept: [UInt8] = []
        var wide: [UInt8] = []

        mutating func withPointers<Result>(
            _ body: (
                _ changed: UnsafePointer<UInt8>, _ moved: UnsafePointer<UInt8>, _ kept: UnsafeMutablePointer<UInt8>,
                _ wide: UnsafeMutablePointer<UInt8>
            ) -> Result
        ) -> Result? {
            unsafe changed.withUnsafeBufferPointer { changed in
                unsafe moved.withUnsafeBufferPointer { moved in
                    unsafe kept.withUnsafeMutableBufferPointer { kept in
                        unsafe wide.withUnsafeMutableBufferPointer { wide in
                            guard let changed = changed.baseAddress, let moved = moved.baseAddress,
                                let kept = kept.baseAddress, let wide = wide.baseAddress
                            else { return nil }
                            return unsafe body(changed, moved, kept, wide)
                        }
                    }
                }
            }
        }
    }

    init(_ settings: MotionSettings, zones: MotionZones = MotionZones()) {
        self.settings = settings
        self.zones = zones
    }

    /// Forgets all: the camera was lost, or shows something else now.
    mutating func reset() {
        taken = 0
        references = []
        firstSeen = nil
        lastSeen = nil
    }

    /// Looks at the next picture.
    mutating func look(_ plane: LumaPlane, at captured: Instant) -> Observation {
        guard plane.columns > 0, plane.rows > 0 else { return Observation() }
        if plane.columns != columns || plane.rows != rows { resize(plane.columns, plane.rows) }
        if taken > 0, captured < last || captured - last > MotionSettings.longestPause { reset() }
        let interval = captured - last
        last = captured
        smooth(plane)
        defer { remember(captured) }
        if taken == 0 { return begin(captured) }
        if lightSwitched() {
            reset()
            return begin(captured)
        }
        measure()
        taken += 1
        guard taken > 2, captured - began >= MotionSettings.warmUp else {
            learn(rate: Int32(65536 / taken))
            return Observation()
        }
        let regions = findMovers()
        follow(interval)
        return judge(regions, at: captured, patience: max(.seconds(2), interval * 3))
    }

    // MARK: Steps

    private mutating func resize(_ columns: Int, _ rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        let count = columns * rows
        reset()
        background = [UInt16](repeating: 0, count: count)
        let bytes = [UInt8](repeating: 0, count: count)
        (picture, before) = (bytes, bytes)
        work = Work(
            sums: [UInt16](repeating: 0, count: columns), levels: bytes, changed: bytes, moved: bytes, kept: bytes,
            wide: bytes)
        (looked, counted) = zones.rasters(columns: columns, rows: rows)
        lookedCount = looked.reduce(0) { $0 + Int($1) }
    }

    private mutating func begin(_ captured: Instant) -> Observation {
        began = captured
        taken = 1
        noise = 1
        for index in picture.indices { background[index] = UInt16(picture[index]) << 8 }
        return Observation(beganAnew: true)
    }

    private mutating func smooth(_ plane: LumaPlane) {
        swap(&picture, &before)
        unsafe plane.cells.withUnsafeBufferPointer { source in
            unsafe picture.withUnsafeMutableBufferPointer { target in
                unsafe work.sums.withUnsafeMutableBufferPointer { sums in
                    guard let source = source.baseAddress, let target = target.baseAddress, let sums = sums.baseAddress
                    else { return }
                    unsafe MotionKernels.smooth(source, columns, rows, scratch: sums, to: target)
                }
            }
        }
    }

    /// Whether most of the picture changed since the one before.
    private mutating func lightSwitched() -> Bool {
        let count = Self.changed(picture, before, threshold: threshold, looked: looked, to: &work.changed)
        return Double(count) > MotionSettings.lightSwitch * Double(max(lookedCount, 1))
    }

    /// Exposure and noise of the picture against the one before; the background follows the exposure at once.
    private mutating func measure() {
        unsafe picture.withUnsafeBufferPointer { picture in
            unsafe before.withUnsafeBufferPointer { before in
                unsafe looked.withUnsafeBufferPointer { looked in
                    guard let picture = picture.baseAddress, let before = before.baseAddress,
                        let looked = looked.baseAddress
                    else { return }
                    unsafe fit.fit(picture: picture, before: before, looked: looked, count: columns * rows)
                }
            }
        }
        noise = max(min(fit.noise, 20), noise * 0.95, 0.5)
        guard fit.isShifted else { return }
        for index in background.indices {
            let now = Int(background[index])
            let shifted = now + (Int(fit.expected[now >> 8]) - (now >> 8)) * 256
            background[index] = UInt16(max(0, min(65535, shifted)))
        }
    }

    private var threshold: UInt8 {
        UInt8(min(200, max(Double(settings.threshold), MotionSettings.noiseFactor * noise)))
    }

    private mutating func learn(rate: Int32) {
        for index in work.kept.indices { work.kept[index] = 0 }
        move(rates: (rate, rate, rate))
    }

    /// Finds the regions that stand out, and leaves in `work.kept` how fast each cell is to be followed.
    private mutating func findMovers() -> [MotionRegion] {
        for index in background.indices { work.levels[index] = UInt8(truncatingIfNeeded: background[index] >> 8) }
        _ = Self.changed(picture, work.levels, threshold: threshold, looked: counted, to: &work.changed)
        let reference = references.last { last - $0.at >= MotionSettings.baseline } ?? references.first
        if let reference {
            _ = Self.changed(picture, reference.cells, threshold: threshold, looked: counted, to: &work.moved)
        }
        let regions =
            unsafe work.withPointers { changed, moved, kept, wide -> [MotionRegion] in
                unsafe MotionKernels.despeckle(changed, columns, rows, kept: kept, wide: wide)
                return unsafe finder.find(wide: wide, kept: kept, moved: moved, columns: columns, rows: rows)
            } ?? []
        let minimum = minimumCells
        // Specks are left out first: neighbours of a mover belong to it, noise all over the picture does not.
        let parts = regions.filter { $0.area >= max(4, minimum / 4) }
        let movers = MotionRegion.joined(parts, within: 2)
            .filter { $0.area >= minimum && $0.moved >= max(4, minimum / 4) }
        markRates(movers)
        return movers
    }

    private var minimumCells: Int { max(6, Int((settings.minimumArea * Double(columns * rows)).rounded())) }

    /// 0 where nothing stands out, 1 around movers, 2 where something stands out and rests.
    private mutating func markRates(_ movers: [MotionRegion]) {
        for index in work.kept.indices { work.kept[index] = work.changed[index] == 0 ? 0 : 2 }
        for mover in movers {
            for row in mover.top...mover.bottom {
                for index in row * columns + mover.left...row * columns + mover.right where work.kept[index] == 2 {
                    work.kept[index] = 1
                }
            }
        }
    }

    private mutating func follow(_ interval: Duration) {
        func rate(_ seconds: Double) -> Int32 { Int32(65536 * min(0.5, interval.seconds / seconds)) }
        move(
            rates: (
                rate(MotionSettings.followBackground), rate(MotionSettings.followMover),
                rate(MotionSettings.followResting)
            ))
    }

    private mutating func move(rates: (Int32, Int32, Int32)) {
        unsafe background.withUnsafeMutableBufferPointer { background in
            unsafe picture.withUnsafeBufferPointer { picture in
                unsafe work.kept.withUnsafeBufferPointer { state in
                    guard let background = background.baseAddress, let picture = picture.baseAddress,
                        let state = state.baseAddress
                    else { return }
                    unsafe MotionKernels.follow(background, picture, columns * rows, state: state, rates: rates)
                }
            }
        }
    }

    /// Keeps two pictures to compare with, the younger at least `baseline` after the other.
    private mutating func remember(_ captured: Instant) {
        if let newest = references.last, captured - newest.at < MotionSettings.baseline { return }
        if references.count < 2 {
            references.append(Reference(at: captured, cells: picture))
            return
        }
        references.swapAt(0, 1)
        references[1].at = captured
        for index in picture.indices { references[1].cells[index] = picture[index] }
    }

    /// Decides whether movers are motion: they must go on from before the picture they were compared with.
    private mutating func judge(_ movers: [MotionRegion], at captured: Instant, patience: Duration) -> Observation {
        if let lastSeen, captured - lastSeen > patience { firstSeen = nil }
        guard let largest = movers.map(\.area).max() else { return Observation() }
        let since = firstSeen ?? captured
        firstSeen = since
        lastSeen = captured
        let compared = references.last { captured - $0.at >= MotionSettings.baseline }?.at ?? captured
        return Observation(
            regions: movers.sorted { $0.area > $1.area }.map(region),
            area: Double(movers.reduce(0) { $0 + $1.area }) / Double(columns * rows),
            score: Double(largest) / Double(largest + minimumCells),
            isMotion: !settings.confirms || since <= compared, since: since)
    }

    private func region(_ mover: MotionRegion) -> Region {
        // Finer than a cell of the largest plane, and short as text.
        func share(_ part: Int, of whole: Int) -> Double { (Double(part) / Double(whole) * 10_000).rounded() / 10_000 }
        return Region(
            x: share(mover.left, of: columns), y: share(mover.top, of: rows),
            width: share(mover.right - mover.left + 1, of: columns),
            height: share(mover.bottom - mover.top + 1, of: rows))
    }

    private static func changed(
        _ left: [UInt8], _ right: [UInt8], threshold: UInt8, looked: [UInt8], to target: inout [UInt8]
    ) -> Int {
        unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                unsafe looked.withUnsafeBufferPointer { looked in
                    unsafe target.withUnsafeMutableBufferPointer { target in
                        guard let a = left.baseAddress, let b = right.baseAddress, let mask = looked.baseAddress,
                            let out = target.baseAddress
                        else { return 0 }
                        return unsafe MotionKernels.changed(
                            a, b, left.count, threshold: threshold, looked: mask, to: out)
                    }
                }
            }
        }
    }
}
