import Glibc

/// How many file descriptors the process has open (proc(5), /proc/self/fd); nil where that cannot be told.
package func openDescriptorCount() -> Int? {
    guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    return count
}
