import CampipeKit

/// Finds what moves in a series of small luma planes. A value without I/O and clock: same planes, same answers.
///
/// It composes the parts: the `ExposureFit` tells what the light and the noise did, the `BackgroundModel` follows, the
/// `MotionMask` says what stands out, the `RegionFinder` what hangs together. A connected region is a mover when it
/// stands out from the background and also changed lately: what stands out and rests (a parked car, the place that
/// something left) is no motion, and becomes background soon. A change of most of the picture at once is the light, and
/// the background begins anew.
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

    private var model = BackgroundModel(count: 0, threshold: 0)
    private var mask = MotionMask(count: 0)
    private var references = References(baseline: MotionSettings.baseline)
    private var fit = ExposureFit()
    private var finder = RegionFinder()
    private var picture: [UInt8] = []
    private var before: [UInt8] = []
    private var sums: [UInt16] = []
    /// What the model is to do with each cell; between pictures, memory that is used again.
    private var states: [UInt8] = []
    private var looked: [UInt8] = []
    private var counted: [UInt8] = []
    private var lookedCount = 0
    /// Of the last picture, for who looks at how it came about.
    private var movers: [MotionRegion] = []

    private var began = Instant.zero
    private var last = Instant.zero
    private var taken = 0
    private var firstSeen: Instant?
    private var lastSeen: Instant?

    init(_ settings: MotionSettings, zones: MotionZones = MotionZones()) {
        self.settings = settings
        self.zones = zones
    }

    /// Forgets all: the camera was lost, or shows something else now.
    mutating func reset() {
        beginAnew()
        model.forget()
    }

    private mutating func beginAnew() {
        taken = 0
        references.forget()
        movers = []
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
        swap(&picture, &before)
        MotionCells.smooth(plane.cells, columns, rows, scratch: &sums, to: &picture)
        defer { references.remember(picture, at: captured) }
        if taken == 0 { return begin(captured) }
        if lightSwitched() {
            beginAnew()
            return begin(captured)
        }
        fit.fit(picture: picture, before: before, looked: looked)
        model.adapt(to: fit)
        taken += 1
        guard taken > 2, captured - began >= MotionSettings.warmUp else {
            for index in states.indices { states[index] = 0 }
            model.learn(picture, taken: taken, resting: states)
            return Observation()
        }
        findMovers()
        markStates()
        model.follow(picture, states: states, interval: interval)
        return judge(at: captured, patience: max(.seconds(2), interval * 3))
    }

    /// How the last observation came about.
    var view: MotionView {
        MotionView(
            columns: columns, rows: rows, picture: picture, background: model.levels,
            unrest: picture.indices.map { model.unrest(at: $0) }, counted: counted, changed: mask.changed,
            moved: mask.moved, kept: mask.kept, movers: movers)
    }

    // MARK: Steps

    private mutating func resize(_ columns: Int, _ rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        let count = columns * rows
        model = BackgroundModel(count: count, threshold: settings.threshold)
        mask = MotionMask(count: count)
        reset()
        let bytes = [UInt8](repeating: 0, count: count)
        (picture, before, states) = (bytes, bytes, bytes)
        sums = [UInt16](repeating: 0, count: columns)
        (looked, counted) = zones.rasters(columns: columns, rows: rows)
        lookedCount = MotionCells.sum(looked)
    }

    private mutating func begin(_ captured: Instant) -> Observation {
        began = captured
        taken = 1
        model.begin(picture)
        return Observation(beganAnew: true)
    }

    /// Whether most of the picture changed since the one before.
    private mutating func lightSwitched() -> Bool {
        let count = MotionCells.differing(picture, before, limit: model.limit, looked: looked)
        return Double(count) > MotionSettings.lightSwitch * Double(max(lookedCount, 1))
    }

    private mutating func findMovers() {
        mask.take(
            picture, against: model, reference: references.reference(at: last)?.cells, counted: counted,
            columns: columns, rows: rows)
        movers = MotionRegion.movers(
            finder.find(mask, columns: columns, rows: rows), minimum: settings.minimumCells(of: columns * rows))
    }

    /// 0 where nothing stands out, 1 around movers, 2 where something stands out and rests.
    private mutating func markStates() {
        MotionCells.states(mask.changed, to: &states)
        for mover in movers {
            for row in mover.top...mover.bottom {
                for index in row * columns + mover.left...row * columns + mover.right where states[index] == 2 {
                    states[index] = 1
                }
            }
        }
    }

    /// Decides whether movers are motion: they must go on from before the picture they were compared with.
    private mutating func judge(at captured: Instant, patience: Duration) -> Observation {
        if let lastSeen, captured - lastSeen > patience { firstSeen = nil }
        guard let largest = movers.first?.area else { return Observation() }
        let since = firstSeen ?? captured
        firstSeen = since
        lastSeen = captured
        let compared = references.reference(at: captured).map { min($0.at, captured) } ?? captured
        return Observation(
            regions: movers.map(region), area: Double(movers.reduce(0) { $0 + $1.area }) / Double(columns * rows),
            score: Double(largest) / Double(largest + settings.minimumCells(of: columns * rows)),
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
}
