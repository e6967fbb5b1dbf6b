/// The kernels over arrays of one length, as the values of this folder hold their cells.
enum MotionCells {
    static func smooth(
        _ source: [UInt8], _ columns: Int, _ rows: Int, scratch: inout [UInt16], to target: inout [UInt8]
    ) {
        precondition(source.count == columns * rows && target.count == source.count && scratch.count >= columns)
        unsafe read(source) { source in
            unsafe write(&target) { target in
                unsafe scratch.withUnsafeMutableBufferPointer { scratch in
                    guard let scratch = scratch.baseAddress else { return }
                    unsafe MotionKernels.smooth(source, columns, rows, scratch: scratch, to: target)
                }
            }
        }
    }

    static func changed(
        _ left: [UInt8], _ right: [UInt8], limits: [UInt8], looked: [UInt8], to target: inout [UInt8]
    ) {
        let count = left.count
        precondition(
            right.count == count && limits.count == count && looked.count == count && target.count == count)
        unsafe read(left) { left in
            unsafe read(right) { right in
                unsafe read(limits) { limits in
                    unsafe read(looked) { looked in
                        unsafe write(&target) { target in
                            unsafe MotionKernels.changed(left, right, limits: limits, count, looked: looked, to: target)
                        }
                    }
                }
            }
        }
    }

    static func differing(_ left: [UInt8], _ right: [UInt8], limit: UInt8, looked: [UInt8]) -> Int {
        let count = left.count
        precondition(right.count == count && looked.count == count)
        var total = 0
        unsafe read(left) { left in
            unsafe read(right) { right in
                unsafe read(looked) {
                    total = unsafe MotionKernels.differing(left, right, count, limit: limit, looked: $0)
                }
            }
        }
        return total
    }

    static func sum(_ cells: [UInt8]) -> Int {
        var total = 0
        unsafe read(cells) { total = unsafe MotionKernels.sum($0, cells.count) }
        return total
    }

    static func despeckle(
        _ marks: [UInt8], _ columns: Int, _ rows: Int, kept: inout [UInt8], wide: inout [UInt8]
    ) {
        precondition(marks.count == columns * rows && kept.count == marks.count && wide.count == marks.count)
        unsafe read(marks) { marks in
            unsafe write(&kept) { kept in
                unsafe write(&wide) { wide in
                    unsafe MotionKernels.despeckle(marks, columns, rows, kept: kept, wide: wide)
                }
            }
        }
    }

    static func follow(
        _ background: inout [UInt16], _ picture: [UInt8], state: [UInt8], rates: (Int32, Int32, Int32)
    ) {
        let count = background.count
        precondition(picture.count == count && state.count == count)
        unsafe read(picture) { picture in
            unsafe read(state) { state in
                unsafe write(&background) {
                    unsafe MotionKernels.follow($0, picture, count, state: state, rates: rates)
                }
            }
        }
    }

    static func whole(_ background: [UInt16], to target: inout [UInt8]) {
        let count = background.count
        precondition(target.count == count)
        unsafe read(background) { background in
            unsafe write(&target) { unsafe MotionKernels.whole(background, count, to: $0) }
        }
    }

    static func unrest(
        _ cells: inout [UInt16], _ picture: [UInt8], _ background: [UInt8], rise: UInt16, fall: UInt16
    ) {
        let count = cells.count
        precondition(picture.count == count && background.count == count)
        unsafe read(picture) { picture in
            unsafe read(background) { background in
                unsafe write(&cells) {
                    unsafe MotionKernels.unrest($0, picture, background, count, rise: rise, fall: fall)
                }
            }
        }
    }

    static func limits(_ cells: [UInt16], base: UInt8, slack: UInt8, to target: inout [UInt8]) {
        let count = cells.count
        precondition(target.count == count)
        unsafe read(cells) { cells in
            unsafe write(&target) { unsafe MotionKernels.limits(cells, count, base: base, slack: slack, to: $0) }
        }
    }

    static func states(_ marks: [UInt8], to target: inout [UInt8]) {
        let count = marks.count
        precondition(target.count == count)
        unsafe read(marks) { marks in unsafe write(&target) { unsafe MotionKernels.states(marks, count, to: $0) } }
    }

    private static func read<T>(_ cells: [T], _ body: (UnsafePointer<T>) -> Void) {
        unsafe cells.withUnsafeBufferPointer { cells in
            if let start = cells.baseAddress { unsafe body(start) }
        }
    }

    private static func write<T>(_ cells: inout [T], _ body: (UnsafeMutablePointer<T>) -> Void) {
        unsafe cells.withUnsafeMutableBufferPointer { cells in
            if let start = cells.baseAddress { unsafe body(start) }
        }
    }
}
