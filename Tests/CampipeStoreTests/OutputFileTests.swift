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

    @Test("when 1000 names are in use it says so instead of going on")
    func manyNames() throws {
        let folder = try TemporaryFolder()
        let pattern = try folder.pattern("x")
        for attempt in 0..<1000 { close(creat(pattern.path(at: morning, attempt: attempt), 0o600)) }
        let error = #expect(throws: CampipeError.self) { try OutputFile.create(pattern, at: morning) }
        #expect(error?.message.hasPrefix("1000 files in a row") == true)
        #expect(error?.fix == "let the path vary with the time, such as %H%M%S-%f")
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
