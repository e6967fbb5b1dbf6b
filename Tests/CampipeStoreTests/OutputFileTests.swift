import CampipeKit
import Foundation
import Glibc
import Testing

@testable import CampipeStore

@Suite("Files that are written")
struct OutputFileTests {
    @Test(
        "a file is made with its folders, and holds what was appended",
        arguments: [
            OutputFile.Durability.none, .atEnd, .eachAppend,
        ])
    func append(_ durability: OutputFile.Durability) throws {
        let folder = try TemporaryFolder()
        let file = try OutputFile.create(
            folder.pattern("a/%Y/%H.bin"), at: morning, zone: utc, durability: durability)
        try file.append([1, 2])
        try file.append([])
        try file.append([3])
        #expect(file.size == 3)
        try file.close()
        try file.close()
        #expect(folder.files == ["a/2025/08.bin"])
        #expect(try folder.contents("a/2025/08.bin") == [1, 2, 3])
    }

    @Test("names never collide: same second, clock set back, autumn's second two o'clock")
    func collisions() throws {
        let folder = try TemporaryFolder()
        let plain = try folder.pattern("%H%M%S.mp4")
        let summer = LocalZone.fixed(seconds: 7200)
        let winter = LocalZone.fixed(seconds: 3600)
        for (time, zone) in [(morning, summer), (morning, summer), (morning + .seconds(3600), winter)] {
            try OutputFile.create(plain, at: time, zone: zone).append([UInt8(folder.files.count)])
        }
        #expect(folder.files == ["100706.mp4", "100706_2.mp4", "100706_3.mp4"])
        #expect(try folder.contents("100706.mp4") == [1])

        let exact = try TemporaryFolder()
        for _ in 0..<3 { _ = try OutputFile.create(exact.pattern("%S-%f.mp4"), at: morning, zone: utc) }
        #expect(exact.files == ["06-000042.mp4", "06-000043.mp4", "06-000044.mp4"])
    }

    @Test("a picture appears whole, under a free name, and nothing is left beside it")
    func wholeFile() throws {
        let folder = try TemporaryFolder()
        let pattern = try folder.pattern("%Y/%H%M%S.jpg")
        let picture = [UInt8](repeating: 7, count: 100_000)
        let first = try WholeFile.write(picture, pattern, at: morning, zone: utc, durability: .atEnd)
        let second = try WholeFile.write([1], pattern, at: morning, zone: utc)
        #expect(first == "\(folder.path)/2025/080706.jpg")
        #expect(second == "\(folder.path)/2025/080706_2.jpg")
        #expect(folder.files == ["2025/080706.jpg", "2025/080706_2.jpg"])
        #expect(try folder.contents("2025/080706.jpg") == picture)
    }

    @Test("what a killed process left half written goes at the next start, and nothing else")
    func partials() throws {
        let folder = try TemporaryFolder()
        let pattern = try folder.pattern("%Y/%H%M%S.jpg")
        let others = ["2025/.x.partial", "2025/.notes.4711-0.partial", "2025/080706.jpg"]
        for name in others + ["2025/.080706.jpg.4711-0.partial"] { try folder.put(name, bytes: 1, modified: morning) }
        #expect(RecordingFolder(pattern).removePartials() == 1)
        #expect(folder.files == others.sorted())
    }

    @Test("a file that is not whole yet is hidden by one dot; those of hidden files had two, and are known by both")
    func partialNames() throws {
        #expect(WholeFile.partialName(of: "1.jpg", attempt: 2) == ".1.jpg.\(getpid())-2.partial")
        #expect(WholeFile.partialName(of: ".1.jpg", attempt: 2) == ".1.jpg.\(getpid())-2.partial")
        let folder = try TemporaryFolder()
        let left = [".080706.jpg.4711-0.partial", "..080706.jpg.4711-1.partial"]
        for name in left { try folder.put(name, bytes: 1, modified: morning) }
        #expect(RecordingFolder(try folder.pattern(".%H%M%S.jpg")).removePartials() == 2)
        #expect(folder.files == [])
    }

    @Test("a folder that lets nobody in fails with what was attempted")
    func noFolder() throws {
        let folder = try TemporaryFolder()
        try folder.put("file", bytes: 1, modified: morning)
        let error = #expect(throws: CampipeError.self) {
            try OutputFile.create(folder.pattern("file/%H.jpg"), at: morning, zone: utc)
        }
        #expect(error?.kind == .failed)
        #expect(error?.message == "cannot make the folder \(folder.path)/file: Not a directory")
    }

    @Test(
        "a folder that cannot be made is named, with what was in its way",
        arguments: [("file/a/b/%H.jpg", "file"), ("gone/%H.jpg", "gone")])
    func folderInTheWay(_ name: String, _ named: String) throws {
        let folder = try TemporaryFolder()
        try folder.put("file", bytes: 1, modified: morning)
        symlink("nowhere", "\(folder.path)/gone")
        let error = #expect(throws: CampipeError.self) {
            try OutputFile.create(folder.pattern(name), at: morning, zone: utc)
        }
        #expect(error?.message == "cannot make the folder \(folder.path)/\(named): Not a directory")
    }

    @Test("a file that is given up leaves nothing behind")
    func discard() throws {
        let folder = try TemporaryFolder()
        let file = try OutputFile.create(folder.pattern("clip"), at: morning)
        try file.append([1])
        file.discard()
        file.discard()
        try file.close()
        #expect(folder.files.isEmpty)
    }

    @Test("names go on, however many are in use, and none is taken twice", arguments: ["x.jpg", "%S-%f.jpg"])
    func manyNames(_ name: String) throws {
        let folder = try TemporaryFolder()
        let pattern = try folder.pattern(name)
        func path(_ attempt: Int) -> String { pattern.path(at: morning, attempt: attempt, zone: utc) }
        for attempt in 0..<1500 { close(creat(path(attempt), 0o600)) }
        let file = try OutputFile.create(pattern, at: morning, zone: utc)
        #expect(file.path == path(1500))
        #expect(try WholeFile.write([1], pattern, at: morning, zone: utc) == path(1501))
        #expect(pattern.matches(path(1_000_000)))
        // What was deleted in between is free, and what is there stays as it is.
        for attempt in 300..<700 { unlink(path(attempt)) }
        var taken: Set<String> = []
        for _ in 0..<500 { taken.insert(try WholeFile.write([2], pattern, at: morning, zone: utc)) }
        #expect(taken.count == 500)
        #expect(folder.files.count == 1500 + 2 - 400 + 500)
        #expect(try folder.contents(String(path(1501).dropFirst(folder.path.count + 1))) == [1])
    }

    @Test("a free name is found by few looks", arguments: [0, 1, 2, 3, 999, 1000, 1_234_567, FreeName.last])
    func looks(_ count: Int) {
        var looks = 0
        let attempt = FreeName.attempt {
            looks += 1
            return $0 < count
        }
        #expect(attempt == count && looks <= 64)
        #expect(FreeName.attempt { _ in true } == nil)
    }

    /// Another process that starts whenever a file is closed.
    private struct MeddledDisk: Disk {
        let kernel = KernelDisk()
        let start: @Sendable () -> Void

        func create(_ path: String, permissions: UInt32) throws(DiskError) -> Int32 {
            try kernel.create(path, permissions: permissions)
        }
        func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(DiskError) -> Int {
            try kernel.write(bytes, to: file)
        }
        func rewrite(_ bytes: UnsafeRawBufferPointer, at offset: Int, of file: Int32) throws(DiskError) -> Int {
            try kernel.rewrite(bytes, at: offset, of: file)
        }
        func cut(_ file: Int32, to size: Int) throws(DiskError) { try kernel.cut(file, to: size) }
        func sync(_ file: Int32) throws(DiskError) { try kernel.sync(file) }
        func syncFolder(_ path: String) throws(DiskError) { try kernel.syncFolder(path) }
        func close(_ file: Int32) throws(DiskError) {
            try kernel.close(file)
            start()
        }
        func rename(_ path: String, to name: String) throws(DiskError) { try kernel.rename(path, to: name) }
        func remove(_ path: String) throws(DiskError) { try kernel.remove(path) }
    }

    @Test("what is half written by a process that lives is left alone by one that starts")
    func halfWritten() throws {
        let folder = try TemporaryFolder()
        let pattern = try folder.pattern("%H%M%S.mp4")
        let disk = MeddledDisk { RecordingFolder(pattern).removePartials() }
        let path = try WholeFile.write([1], pattern, at: morning, zone: utc, disk: disk)
        try WholeFile.rewrite(path, disk: disk, ready: { RecordingFolder(pattern).removePartials() }) {
            (file) throws(CampipeError) in
            RecordingFolder(pattern).removePartials()
            try file.append([2, 3])
        }
        #expect(folder.files == ["080706.mp4"])
        #expect(try folder.contents("080706.mp4") == [2, 3])
    }

    @Test(
        "a full disk, quota or table is exhausted, and all else failed",
        arguments: [(ENOSPC, true), (EDQUOT, true), (EMFILE, true), (EIO, false), (EACCES, false)])
    func kinds(code: Int32, isExhausted: Bool) {
        #expect(CampipeError.file("cannot write x", errno: code).kind == (isExhausted ? .exhausted : .failed))
    }

    @Test("a device that is full is exhausted, and names the file")
    func fullDevice() throws {
        let file = OutputFile(path: "clips/1.mp4", descriptor: open("/dev/full", O_WRONLY), durability: .none)
        let error = #expect(throws: CampipeError.self) { try file.append([1]) }
        #expect(error?.kind == .exhausted)
        #expect(
            error?.description
                == "cannot write clips/1.mp4: No space left on device; free some space, or set retention")
        #expect(file.size == 0)
    }

    @Test(
        "an append that a full disk took in part is cut off again, and goes on when there is room",
        .enabled(if: Self.canMount, "mounting a small disk needs a root that may mount"))
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        try run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder.path)
        defer { try? run("umount", "-l", folder.path) }
        let file = try OutputFile.create(folder.pattern("clip"), at: morning)
        let other = try OutputFile.create(folder.pattern("other"), at: morning)
        try file.append([UInt8](repeating: 1, count: 100_000))
        try other.append([UInt8](repeating: 1, count: 100_000))
        let error = #expect(throws: CampipeError.self) { try file.append([UInt8](repeating: 2, count: 100_000)) }
        #expect(error?.kind == .exhausted)
        #expect(file.size == 100_000)
        #expect(try folder.contents("clip").count == 100_000)
        #expect(throws: CampipeError.self) {
            try WholeFile.write([UInt8](repeating: 2, count: 100_000), folder.pattern("p.jpg"), at: morning)
        }
        #expect(folder.files == ["clip", "other"])
        unlink(other.path)
        try other.close()
        try file.append([UInt8](repeating: 3, count: 100_000))
        try file.close()
        #expect(try folder.contents("clip").suffix(100_000) == Array(repeating: 3, count: 100_000)[...])
    }

    /// Root in a container may not.
    private static let canMount: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=4k") == 0 else { return false }
        return umount2(folder.path, Int32(MNT_DETACH)) == 0
    }()

    private func run(_ command: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
