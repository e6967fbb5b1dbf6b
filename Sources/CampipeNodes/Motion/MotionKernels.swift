/// The loops over the cells of small luma planes, on raw pointers in shapes that the compiler vectorises: narrow types,
/// wrapping arithmetic, selections instead of branches.
///
/// Each works on `count`, or `columns * rows`, cells, row by row without gaps. `MotionReference` of the tests says the
/// same in plain words, and all are compared.
enum MotionKernels {
    /// Averages each cell with its eight neighbours, which takes two thirds of the noise away; the edge repeats itself.
    ///
    /// - Parameter scratch: At least `columns` values.
    static func smooth(
        _ source: UnsafePointer<UInt8>, _ columns: Int, _ rows: Int, scratch: UnsafeMutablePointer<UInt16>,
        to target: UnsafeMutablePointer<UInt8>
    ) {
        for y in 0..<rows {
            let above = unsafe source + max(y - 1, 0) * columns
            let row = unsafe source + y * columns
            let below = unsafe source + min(y + 1, rows - 1) * columns
            for x in 0..<columns { unsafe scratch[x] = UInt16(above[x]) &+ UInt16(row[x]) &+ UInt16(below[x]) }
            let out = unsafe target + y * columns
            // 7282 / 65536 is a ninth; with the half added it rounds exactly for nine bytes.
            func ninth(_ sum: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: ((UInt32(sum) &+ 4) &* 7282) >> 16) }
            guard columns > 1 else {
                unsafe out[0] = ninth(scratch[0] &* 3)
                continue
            }
            unsafe out[0] = ninth(scratch[0] &* 2 &+ scratch[1])
            for x in 1..<max(columns - 1, 1) { unsafe out[x] = ninth(scratch[x - 1] &+ scratch[x] &+ scratch[x + 1]) }
            unsafe out[columns - 1] = ninth(scratch[columns - 2] &+ scratch[columns - 1] &* 2)
        }
    }

    /// Marks with 1 the cells that differ by more than their limit and are looked at.
    static func changed(
        _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, limits: UnsafePointer<UInt8>, _ count: Int,
        looked: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) {
        for index in 0..<count {
            let (a, b) = unsafe (left[index], right[index])
            let difference = a > b ? a &- b : b &- a
            unsafe target[index] = (difference > limits[index] ? 1 : 0) & looked[index]
        }
    }

    /// How many cells differ by more than `limit` and are looked at.
    static func differing(
        _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int, limit: UInt8,
        looked: UnsafePointer<UInt8>
    ) -> Int {
        var total = 0
        var start = 0
        while start < count {
            let end = min(start + 128, count)
            var block: UInt8 = 0
            for index in start..<end {
                let (a, b) = unsafe (left[index], right[index])
                let difference = a > b ? a &- b : b &- a
                unsafe block &+= (difference > limit ? 1 : 0) & looked[index]
            }
            total += Int(block)
            start = end
        }
        return total
    }

    /// The sum of bytes that are 0 or 1.
    static func sum(_ cells: UnsafePointer<UInt8>, _ count: Int) -> Int {
        var total = 0
        var start = 0
        // In blocks that a byte can count, which keeps the inner loop narrow.
        while start < count {
            let end = min(start + 128, count)
            var block: UInt8 = 0
            for index in start..<end { unsafe block &+= cells[index] }
            total += Int(block)
            start = end
        }
        return total
    }

    /// Keeps a marked cell only where most of its neighbourhood is marked, then widens what is left by a cell, so that
    /// the parts of one mover hang together. The outermost cells are cleared.
    ///
    /// - Parameters:
    ///   - kept: Gets 1 where a mark stays.
    ///   - wide: Gets 1 there and around.
    static func despeckle(
        _ marks: UnsafePointer<UInt8>, _ columns: Int, _ rows: Int, kept: UnsafeMutablePointer<UInt8>,
        wide: UnsafeMutablePointer<UInt8>
    ) {
        unsafe kept.update(repeating: 0, count: columns * rows)
        unsafe wide.update(repeating: 0, count: columns * rows)
        guard columns > 2, rows > 2 else { return }
        for y in 1..<rows - 1 {
            let row = unsafe marks + y * columns
            let out = unsafe kept + y * columns
            for x in 1..<columns - 1 {
                let sum = unsafe around(row + x, columns)
                unsafe out[x] = row[x] & (sum >= 5 ? 1 : 0)
            }
        }
        for y in 1..<rows - 1 {
            let row = unsafe kept + y * columns
            let out = unsafe wide + y * columns
            for x in 1..<columns - 1 { unsafe out[x] = around(row + x, columns) > 0 ? 1 : 0 }
        }
    }

    @inline(__always)
    private static func around(_ cell: UnsafePointer<UInt8>, _ columns: Int) -> UInt8 {
        let above = unsafe cell - columns
        let below = unsafe cell + columns
        let rows = unsafe above[0] &+ cell[0] &+ below[0]
        return unsafe rows &+ above[-1] &+ above[1] &+ cell[-1] &+ cell[1] &+ below[-1] &+ below[1]
    }

    /// Moves the background, in 1/256 levels, towards the picture: by `rates[0]` where nothing stands out, `rates[1]`
    /// where something moves, `rates[2]` where something stands out and rests; each in 1/65536 of the way.
    ///
    /// - Parameter state: 0, 1 or 2 a cell.
    static func follow(
        _ background: UnsafeMutablePointer<UInt16>, _ picture: UnsafePointer<UInt8>, _ count: Int,
        state: UnsafePointer<UInt8>, rates: (Int32, Int32, Int32)
    ) {
        for index in 0..<count {
            let kind = unsafe state[index]
            let rate = kind == 0 ? rates.0 : kind == 1 ? rates.1 : rates.2
            let now = Int32(unsafe background[index])
            let way = (Int32(unsafe picture[index]) << 8) &- now
            // The product needs 33 bits at worst; half the way at double the shift keeps it in 32.
            let step = ((way >> 1) &* (rate >> 1)) >> 14
            unsafe background[index] = UInt16(truncatingIfNeeded: now &+ step)
        }
    }

    /// The background in whole levels.
    static func whole(
        _ background: UnsafePointer<UInt16>, _ count: Int, to target: UnsafeMutablePointer<UInt8>
    ) {
        for index in 0..<count { unsafe target[index] = UInt8(truncatingIfNeeded: background[index] >> 8) }
    }

    /// Lets the unrest of each cell, in 1/256 levels, rise by a step where the picture is further from the background
    /// than that, and fall by another where it is not.
    ///
    /// So it stays where the picture is beyond it in `fall / (rise + fall)` of the time: what passes now and then does
    /// not raise it, what sways does.
    static func unrest(
        _ unrest: UnsafeMutablePointer<UInt16>, _ picture: UnsafePointer<UInt8>, _ background: UnsafePointer<UInt8>,
        _ count: Int, rise: UInt16, fall: UInt16
    ) {
        for index in 0..<count {
            let (a, b) = unsafe (picture[index], background[index])
            let difference = UInt16(a > b ? a &- b : b &- a) &<< 8
            let now = unsafe unrest[index]
            // What is left of the way up, and of the way down to nothing: no step goes further.
            let up = difference > now ? difference &- now : 0
            let risen = now &+ (up < rise ? up : rise)
            let fallen = now &- (now < fall ? now : fall)
            unsafe unrest[index] = difference > now ? risen : fallen
        }
    }

    /// By how many levels a cell must differ: `base`, and one and a half times its unrest beyond `slack`, 255 at most.
    static func limits(
        _ unrest: UnsafePointer<UInt16>, _ count: Int, base: UInt8, slack: UInt8,
        to target: UnsafeMutablePointer<UInt8>
    ) {
        for index in 0..<count {
            let level = unsafe unrest[index] &>> 8
            let beyond = level > UInt16(slack) ? level &- UInt16(slack) : 0
            let limit = UInt16(base) &+ beyond &+ (beyond &>> 1)
            unsafe target[index] = UInt8(truncatingIfNeeded: limit > 255 ? 255 : limit)
        }
    }

    /// Which way each cell is to be followed: 0 where no mark is, else 2.
    static func states(
        _ marks: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>
    ) {
        for index in 0..<count { unsafe target[index] = marks[index] &<< 1 }
    }
}
