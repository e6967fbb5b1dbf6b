package import CampipeKit
import Foundation
import Glibc

/// Writes files that appear whole, such as pictures: whoever looks finds all of it or nothing.
///
/// May block for as long as the disk does: for nodes that have a thread of their own.
package enum WholeFile {
    /// Writes the bytes under a free name of the pattern for this time.
    ///
    /// They are written under a name that begins with a dot, in the same folder, and get their own name at the end.
    ///
    /// - Returns: The path.
    /// - Throws: As `OutputFile` does; nothing is left behind then.
    package static func write(
        _ bytes: [UInt8], _ pattern: FileNamePattern, at time: WallTime, fields: [String: String] = [:],
        zone: LocalZone = .system, durability: OutputFile.Durability = .none, disk: any Disk = KernelDisk()
    ) throws(CampipeError) -> String {
        let first = pattern.path(at: time, fields: fields, zone: zone)
        let (partial, lock) = try writePartial(bytes, beside: first, durability: durability, disk: disk)
        defer { withExtendedLifetime(lock) { _ = unsafe unlink(partial) } }
        let names = { (attempt: Int) in pattern.path(at: time, fields: fields, attempt: attempt, zone: zone) }
        return try FreeName.take(names, pattern.text) { (path) throws(CampipeError) in
            guard try name(partial, path) else { return nil }
            if durability != .none { try FileCall.syncFolder(FileCall.folder(of: path)) }
            return path
        }
    }

    /// Writes the bytes under this very name, unless it is in use.
    ///
    /// - Returns: Whether it was free.
    /// - Throws: As `OutputFile` does; nothing is left behind then.
    static func write(_ bytes: [UInt8], path: String, disk: any Disk) throws(CampipeError) -> Bool {
        let (partial, lock) = try writePartial(bytes, beside: path, durability: .atEnd, disk: disk)
        defer { withExtendedLifetime(lock) { _ = unsafe unlink(partial) } }
        guard try name(partial, path) else { return false }
        try FileCall.syncFolder(FileCall.folder(of: path))
        return true
    }

    /// Writes what is there anew, and puts it in its place when it is whole and on the disk: whoever looks finds the old
    /// or the new one.
    ///
    /// - Parameters:
    ///   - write: Writes it.
    ///   - ready: Called once it is, before it takes the place.
    /// - Throws: What `write` throws; and when the old one is gone meanwhile. The old one is as it was then.
    package static func rewrite(
        _ path: String, disk: any Disk, ready: () throws(CampipeError) -> Void,
        _ write: (OutputFile) throws(CampipeError) -> Void
    ) throws(CampipeError) {
        var before = stat()
        let isThere = unsafe lstat(path, &before)
        guard isThere == 0 else { throw CampipeError.file("cannot write \(path) anew", errno: errno) }
        let file = try makePartial(beside: path, durability: .atEnd, disk: disk)
        // Nobody takes it for one that a killed process left, until it has its name.
        var lock: FileLock?
        defer { withExtendedLifetime(lock) {} }
        do throws(CampipeError) {
            try write(file)
            lock = try file.closeLocked()
            var now = stat()
            guard unsafe lstat(path, &now) == 0, now.st_ino == before.st_ino else {
                throw CampipeError.file("cannot write \(path) anew", errno: ENOENT)
            }
            try ready()
            try attempt(path) { () throws(DiskError) in try disk.rename(file.path, to: path) }
        } catch {
            file.discard()
            try? disk.remove(file.path)
            throw error
        }
        try attempt(path) { () throws(DiskError) in try disk.syncFolder(FileCall.folder(of: path)) }
    }

    private static func attempt(
        _ path: String, _ call: () throws(DiskError) -> Void
    ) throws(CampipeError) {
        do throws(DiskError) { try call() } catch {
            throw CampipeError.file("cannot write \(path)", errno: error.code)
        }
    }

    /// Writes a file of this very name, in place of one that may be there.
    ///
    /// - Throws: As `OutputFile` does; what was there is as it was then.
    package static func replace(
        _ path: String, with bytes: [UInt8], permissions: UInt32 = 0o666
    ) throws(CampipeError) {
        let (partial, lock) = try writePartial(bytes, beside: path, durability: .atEnd, permissions: permissions)
        defer { withExtendedLifetime(lock) {} }
        do throws(CampipeError) {
            try FileCall.checked("cannot write \(path)") { unsafe rename(partial, path) }
        } catch {
            unsafe unlink(partial)
            throw error
        }
    }

    /// Makes a folder and those above it, where they are missing.
    ///
    /// - Throws: What kept the first of them from being made.
    package static func makeFolder(_ path: String, permissions: UInt32) throws(CampipeError) {
        try FileCall.makeFolder(path, permissions: permissions)
    }

    /// The end of the names of files that are not whole yet; one that is left is from a process that was killed.
    private static let partialSuffix = ".partial"

    /// The name of a partial file: hidden, in the same folder. One that is hidden itself gets no second dot.
    static func partialName(of name: String, attempt: Int) -> String {
        "\(name.hasPrefix(".") ? "" : ".")\(name).\(getpid())-\(attempt)\(partialSuffix)"
    }

    /// The paths that a partial file may have been to get: `a/1.jpg`, or the hidden `a/.1.jpg`, of
    /// `a/.1.jpg.4711-0.partial`; none when it is no partial file.
    static func wholePaths(ofPartial path: String) -> [String] {
        let (folder, name) = FileCall.split(path)
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.hasSuffix(partialSuffix), parts.count >= 4, parts[0].isEmpty else { return [] }
        // Hidden files had two dots once.
        let whole = parts[(parts[1].isEmpty ? 2 : 1)..<(parts.count - 2)].joined(separator: ".")
        return parts[1].isEmpty ? ["\(folder).\(whole)"] : [folder + whole, "\(folder).\(whole)"]
    }

    /// Deletes what processes that were killed left of a file that they wrote anew. For who knows that nobody writes it
    /// now.
    static func removePartials(of path: String) {
        let folder = FileCall.folder(of: path)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let partial = FileCall.split(path).folder + name
            if wholePaths(ofPartial: partial).contains(path) { unsafe unlink(partial) }
        }
    }

    /// - Returns: Its path, and the lock that tells it from what a killed process left.
    private static func writePartial(
        _ bytes: [UInt8], beside path: String, durability: OutputFile.Durability, permissions: UInt32 = 0o666,
        disk: any Disk = KernelDisk()
    ) throws(CampipeError) -> (path: String, lock: FileLock?) {
        let file = try makePartial(beside: path, durability: .none, permissions: permissions, disk: disk)
        do throws(CampipeError) {
            try file.append(bytes)
            if durability != .none { try file.sync() }
            return (file.path, try file.closeLocked())
        } catch {
            file.discard()
            try? disk.remove(file.path)
            throw error
        }
    }

    private static func makePartial(
        beside path: String, durability: OutputFile.Durability, permissions: UInt32 = 0o666, disk: any Disk
    ) throws(CampipeError) -> OutputFile {
        let (folder, name) = FileCall.split(path)
        for attempt in 0..<1000 {
            let partial = folder + partialName(of: name, attempt: attempt)
            let file = try OutputFile.create(
                path: partial, durability: durability, permissions: permissions, disk: disk)
            if let file { return file }
        }
        throw CampipeError(.failed, "cannot make a file beside \(path)", fix: "delete the \(partialSuffix) files there")
    }

    /// Gives a file a further name, unless that is in use.
    ///
    /// - Returns: Whether it was free.
    private static func name(_ partial: String, _ path: String) throws(CampipeError) -> Bool {
        if unsafe link(partial, path) == 0 { return true }
        switch errno {
        case EEXIST: return false
        case ENOENT:
            // A later attempt may be in another folder than the first: with %f the day can turn.
            try FileCall.makeFolder(FileCall.folder(of: path))
            if unsafe link(partial, path) == 0 { return true }
            guard errno == EEXIST else { throw CampipeError.file("cannot name \(path)", errno: errno) }
            return false
        case EPERM, EOPNOTSUPP, EMLINK:
            // No hard links here (FAT, some network file systems): the name is taken first, then the file moved onto
            // it.
            guard let place = try OutputFile.create(path: path, durability: .none) else { return false }
            try place.close()
            try FileCall.checked("cannot name \(path)") { unsafe rename(partial, path) }
            return true
        default: throw CampipeError.file("cannot name \(path)", errno: errno)
        }
    }
}
