import Glibc

/// A file descriptor and what it stands for: the same number may stand for another file a moment later.
package struct OpenDescriptor: Hashable, Sendable {
    package let number: Int32
    let device: UInt64
    let node: UInt64
}

/// The file descriptors that the process has open (proc(5), /proc/self/fd), without the one that looks; nil where that
/// cannot be told.
package func openDescriptors() -> Set<OpenDescriptor>? {
    guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(folder) }
    let own = unsafe dirfd(folder)
    var found: Set<OpenDescriptor> = []
    while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
            unsafe start.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        var status = stat()
        guard let number = Int32(name), number != own, unsafe fstat(number, &status) == 0 else { continue }
        found.insert(.init(number: number, device: UInt64(status.st_dev), node: UInt64(status.st_ino)))
    }
    return found
}
