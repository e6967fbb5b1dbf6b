import CampipeKit
import CampipeStore
import Foundation
import Glibc

/// A disk for tests: it does what the kernel's does, notes each call, and lets a test fail, shorten or stop any of them.
///
/// From the notes it tells what a loss of power, or of the process, after any call leaves.
final class FaultyDisk: Disk {
    enum Call: Sendable {
        case create(String)
        case write(String, [UInt8])
        case rewrite(String, Int, [UInt8])
        case cut(String, Int)
        case sync(String)
        case syncFolder(String)
        case close(String)
        case rename(String, String)
        case remove(String)

        var isWrite: Bool {
            switch self {
            case .create, .write, .rewrite: true
            default: false
            }
        }
    }

    enum Fault: Sendable {
        case fails(Int32)
        /// Takes so many bytes.
        case takes(Int)
    }

    /// A file's bytes, now and as the disk has them.
    private final class File {
        var bytes: [UInt8] = []
        var synced: [UInt8] = []
    }

    private struct State {
        var calls: [Call] = []
        var paths: [Int32: String] = [:]
    }

    private let kernel = KernelDisk()
    private let state = Lock(State())
    private let fault: @Sendable (Call, _ number: Int) -> Fault?

    init(_ fault: @escaping @Sendable (Call, _ number: Int) -> Fault? = { _, _ in nil }) { self.fault = fault }

    var calls: [Call] { state.withLock { $0.calls } }

    /// What is there after the first calls.
    ///
    /// - Parameter powerFails: Whether only what was synced is; else only the process is gone.
    static func files(after calls: some Sequence<Call>, powerFails: Bool) -> [String: [UInt8]] {
        var names: [String: File] = [:]
        var syncedNames: [String: File] = [:]
        for call in calls {
            switch call {
            case .create(let path): names[path] = File()
            case .write(let path, let bytes): names[path]?.bytes += bytes
            case .rewrite(let path, let offset, let bytes):
                names[path]?.bytes.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            case .cut(let path, let size): names[path]?.bytes.removeLast((names[path]?.bytes.count ?? size) - size)
            case .sync(let path): if let file = names[path] { file.synced = file.bytes }
            case .syncFolder: syncedNames = names
            case .close: break
            case .rename(let path, let name):
                names[name] = names[path]
                names[path] = nil
            case .remove(let path): names[path] = nil
            }
        }
        return powerFails ? syncedNames.mapValues(\.synced) : names.mapValues(\.bytes)
    }

    private func path(_ file: Int32) -> String { state.withLock { $0.paths[file] ?? "" } }

    /// Notes a call, unless it is to fail.
    private func does(_ call: Call) throws(DiskError) -> Int? {
        let number = state.withLock { $0.calls.count }
        switch fault(call, number) {
        case .fails(let code): throw DiskError(code)
        case .takes(let count): return count
        case nil:
            state.withLock { $0.calls.append(call) }
            return nil
        }
    }

    func create(_ path: String, permissions: UInt32) throws(DiskError) -> Int32 {
        _ = try does(.create(path))
        do throws(DiskError) {
            let file = try kernel.create(path, permissions: permissions)
            state.withLock { $0.paths[file] = path }
            return file
        } catch {
            state.withLock { _ = $0.calls.removeLast() }
            throw error
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(DiskError) -> Int {
        if let count = try does(.write(path(file), Array(bytes))) {
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<min(count, bytes.count)])
            state.withLock { $0.calls.append(.write($0.paths[file] ?? "", Array(part))) }
            return try kernel.write(part, to: file)
        }
        return try kernel.write(bytes, to: file)
    }

    func rewrite(_ bytes: UnsafeRawBufferPointer, at offset: Int, of file: Int32) throws(DiskError) -> Int {
        _ = try does(.rewrite(path(file), offset, Array(bytes)))
        return try kernel.rewrite(bytes, at: offset, of: file)
    }

    func cut(_ file: Int32, to size: Int) throws(DiskError) {
        _ = try does(.cut(path(file), size))
        try kernel.cut(file, to: size)
    }

    func sync(_ file: Int32) throws(DiskError) { _ = try does(.sync(path(file))) }
    func syncFolder(_ path: String) throws(DiskError) { _ = try does(.syncFolder(path)) }

    func close(_ file: Int32) throws(DiskError) {
        defer { try? kernel.close(file) }
        _ = try does(.close(path(file)))
    }

    func rename(_ path: String, to name: String) throws(DiskError) {
        _ = try does(.rename(path, name))
        try kernel.rename(path, to: name)
    }

    func remove(_ path: String) throws(DiskError) {
        _ = try does(.remove(path))
        try kernel.remove(path)
    }
}
