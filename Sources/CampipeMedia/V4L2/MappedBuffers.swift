import CV4L2
import CampipeKit
import Glibc

/// The buffers of a V4L2 driver, mapped into this process. One owner, one thread at a time.
@safe final class MappedBuffers {
    private let descriptor: Int32
    private let path: String
    private var maps: [UnsafeMutableRawBufferPointer] = unsafe []

    init(_ descriptor: Int32, count: UInt32, path: String) throws(CampipeError) {
        self.descriptor = descriptor
        self.path = path
        var request = v4l2_requestbuffers()
        request.count = count
        request.type = campipe_v4l2_capture
        request.memory = campipe_v4l2_mapped
        let result = unsafe campipe_v4l2_call(descriptor, campipe_v4l2_request_buffers, &request)
        if result < 0 || request.count < 2 { throw error(result == 0 ? -ENOMEM : result, "cannot read") }
        for index in 0..<request.count {
            var buffer = unsafe blank(index)
            try check(unsafe campipe_v4l2_call(descriptor, campipe_v4l2_query_buffer, &buffer), "cannot read")
            let length = unsafe Int(buffer.length)
            let mapped = unsafe mmap(
                nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(buffer.m.offset))
            guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { throw error(-errno, "cannot read") }
            unsafe maps.append(UnsafeMutableRawBufferPointer(start: mapped, count: length))
            try check(unsafe campipe_v4l2_call(descriptor, campipe_v4l2_queue, &buffer), "cannot read")
        }
    }

    deinit {
        for index in unsafe maps.indices { unsafe munmap(maps[index].baseAddress, maps[index].count) }
    }

    func start() throws(CampipeError) {
        var type = campipe_v4l2_capture
        try check(unsafe campipe_v4l2_call(descriptor, campipe_v4l2_start, &type), "cannot start")
    }

    func stop() {
        var type = campipe_v4l2_capture
        _ = unsafe campipe_v4l2_call(descriptor, campipe_v4l2_stop, &type)
    }

    /// A copy of the picture that waits, whose buffer the driver has again then; nil while there is none.
    func take() throws(CampipeError) -> CapturedPicture? {
        var buffer = unsafe blank(0)
        let result = unsafe campipe_v4l2_call(descriptor, campipe_v4l2_dequeue, &buffer)
        if result == -EAGAIN { return nil }
        // EIO: the driver lost the signal, or this picture alone; it may go on.
        try check(result, "lost")
        guard unsafe Int(buffer.index) < maps.count else { throw error(-EIO, "lost") }
        let map = unsafe maps[Int(buffer.index)]
        let count = unsafe min(Int(buffer.bytesused), map.count)
        let bytes = unsafe Bytes(UnsafeRawBufferPointer(rebasing: map[..<count]))
        var time: Int64?
        if unsafe buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) {
            time = unsafe Int64(buffer.timestamp.tv_sec) * 1_000_000_000 + Int64(buffer.timestamp.tv_usec) * 1000
        }
        let picture = unsafe CapturedPicture(
            bytes, time: time, sequence: buffer.sequence,
            isDamaged: buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0)
        try check(unsafe campipe_v4l2_call(descriptor, campipe_v4l2_queue, &buffer), "lost")
        return picture
    }

    private func blank(_ index: UInt32) -> v4l2_buffer {
        var buffer = unsafe v4l2_buffer()
        unsafe buffer.index = index
        unsafe buffer.type = campipe_v4l2_capture
        unsafe buffer.memory = campipe_v4l2_mapped
        return unsafe buffer
    }

    private func check(_ result: Int32, _ attempted: String) throws(CampipeError) {
        if result < 0 { throw error(result, attempted) }
    }

    private func error(_ result: Int32, _ attempted: String) -> CampipeError {
        switch -result {
        case ENODEV, ENXIO: CampipeError(.unavailable, "\(attempted) \(path): it was unplugged")
        case EBUSY: CampipeError(.unavailable, "\(attempted) \(path): another program reads it")
        case ENOSPC:
            CampipeError(
                .exhausted, "\(attempted) \(path): its USB bus has no room for more",
                fix: "ask for a smaller size or fewer pictures a second")
        default: .system("\(attempted) \(path)", errno: -result, kind: .unavailable)
        }
    }
}
