package import CampipeKit

/// Turns and mirrors frames, plane by plane; no level changes.
package enum Turner {
    /// Turns a frame.
    ///
    /// 4:2:2 turned by a quarter would have its colour at half height, a layout that there is not: it becomes yuv420.
    ///
    /// - Parameters:
    ///   - scaler: What converts the layout, where that is needed.
    ///   - pool: Where the memory comes from.
    /// - Returns: The same frame where nothing is to be turned; else a new one with the same times and marks, and its
    ///   regions where they are now.
    package static func turn(
        _ frame: Frame, _ orientation: Orientation, scaler: Scaler, pool: FramePool
    ) throws(CampipeError) -> Frame {
        guard orientation != .upright else { return frame }
        var frame = frame
        if let pixel = pixel(of: frame.pixel, orientation), pixel != frame.pixel {
            frame = try scaler.scale(frame, pixel: pixel, pool: pool)
        }
        let result = pool.buffer(frame.pixel, orientation.size(of: frame.size))
        for index in frame.pixels.planes.indices {
            unsafe frame.withPlane(index) { source, from in
                unsafe result.withMutablePlane(index) { target, to in
                    let way = Way(orientation, from, to)
                    switch from.bytesPerPixel {
                    case 1: unsafe way.copy(source, target, bytes: 1)
                    case 2: unsafe way.copy(source, target, bytes: 2)
                    default: unsafe way.copy(source, target, bytes: 3)
                    }
                }
            }
        }
        var turned = frame.replacing(result)
        if !turned.regions.isEmpty { turned.regions = turned.regions.map(orientation.place) }
        return turned
    }

    /// The layout of a turned picture; nil of an unknown one.
    package static func pixel(of pixel: PixelFormat?, _ orientation: Orientation) -> PixelFormat? {
        orientation.transposes && pixel == .yuv422 ? .yuv420 : pixel
    }

    /// The way through a plane while its turned picture is written row by row.
    private struct Way {
        /// Bytes from the source's start to what comes first.
        let start: Int
        /// Bytes of the source for a step to the right, and for one down, in the result.
        let (right, down): (Int, Int)
        let target: PixelBuffer.Plane

        init(_ orientation: Orientation, _ source: PixelBuffer.Plane, _ target: PixelBuffer.Plane) {
            let across = orientation.transposes ? source.stride : source.bytesPerPixel
            let along = orientation.transposes ? source.bytesPerPixel : source.stride
            right = orientation.mirrorsX ? -across : across
            down = orientation.mirrorsY ? -along : along
            start =
                (orientation.mirrorsX ? (target.width - 1) * across : 0)
                + (orientation.mirrorsY ? (target.height - 1) * along : 0)
            self.target = target
        }

        /// In squares, so that the lines of the source that a square needs stay in the cache.
        @inline(__always)
        func copy(_ source: UnsafePointer<UInt8>, _ base: UnsafeMutablePointer<UInt8>, bytes: Int) {
            if right == bytes {
                for y in 0..<target.height {
                    unsafe (base + y * target.stride).update(
                        from: source + start + y * down, count: target.width * bytes)
                }
                return
            }
            let side = 32
            for top in stride(from: 0, to: target.height, by: side) {
                for left in stride(from: 0, to: target.width, by: side) {
                    let end = min(left + side, target.width)
                    for y in top..<min(top + side, target.height) {
                        var from = unsafe source + start + y * down + left * right
                        var to = unsafe base + y * target.stride + left * bytes
                        for _ in left..<end {
                            for byte in 0..<bytes { unsafe to[byte] = from[byte] }
                            unsafe from += right
                            unsafe to += bytes
                        }
                    }
                }
            }
        }
    }
}
