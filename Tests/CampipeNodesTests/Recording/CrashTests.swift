import CampipeKit
import CampipeMedia
import CampipeStore
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Recordings that are cut off after any call to the disk")
struct CrashTests {
    private struct Run {
        var calls: [FaultyDisk.Call]
        /// How many calls there were when each picture had been taken.
        var callsAt: [Int]
        var pictures: Int
    }

    private func run(_ ending: String, isMadePlain: Bool = false) throws -> Run {
        let rig = try RecordingRig("clip.\(ending)") { $0.isMadePlain = isMadePlain }
        let packets = try ["mp4", "ts"].contains(ending) ? RecordingRig.video(45) : RecordingRig.jpegs(45)
        var callsAt: [Int] = []
        for packet in packets {
            try rig.push(packet)
            callsAt.append(rig.disk.calls.count)
        }
        try rig.finish()
        return Run(calls: rig.disk.calls, callsAt: callsAt, pictures: packets.count)
    }

    /// How many pictures play of what was left under a clip's name, once it is mended; nil where there is no such file.
    private func playable(_ files: [String: [UInt8]], _ ending: String) throws -> Int? {
        guard var bytes = files.first(where: { $0.key.hasSuffix("/clip.\(ending)") })?.value else { return nil }
        let outcome = FileMending.look(Container(path: "clip.\(ending)"), length: bytes.count) { offset, count in
            Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
        }
        switch outcome {
        case .empty: return 0
        case .foreign: break
        case .whole(let mending):
            for patch in mending.patches {
                bytes.replaceSubrange(patch.offset..<(patch.offset + patch.bytes.count), with: patch.bytes)
            }
            bytes.removeLast(bytes.count - mending.length)
        }
        guard !bytes.isEmpty else { return 0 }
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/clip.\(ending)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try RecordingRig.pictures(path).count
    }

    @Test(
        "what is written up to a fragment before plays, and with a loss of power up to two",
        arguments: ["mp4", "mkv", "ts", "mjpeg"])
    func fragments(_ ending: String) throws {
        let run = try run(ending)
        for count in run.calls.indices {
            let taken = run.callsAt.count { $0 <= count }
            for (powerFails, loss) in [(false, 12), (true, 22)] {
                let left = FaultyDisk.files(after: run.calls[..<count], powerFails: powerFails)
                let found = try playable(left, ending) ?? 0
                #expect(
                    found >= taken - loss, "\(ending) after call \(count), power \(powerFails): \(found) of \(taken)")
            }
        }
        let all = try playable(FaultyDisk.files(after: run.calls, powerFails: true), ending)
        #expect(all == run.pictures)
    }

    @Test("there is no moment at which a file that is made plain could be lost")
    func plain() throws {
        let run = try run("mp4", isMadePlain: true)
        let ended = try #require(run.calls.firstIndex { if case .close = $0 { true } else { false } })
        for powerFails in [false, true] {
            for count in ended...run.calls.count {
                let left = FaultyDisk.files(after: run.calls[..<count], powerFails: powerFails)
                #expect(try playable(left, "mp4") == run.pictures, "after call \(count)")
            }
        }
        // It is plain in the end.
        let last = FaultyDisk.files(after: run.calls, powerFails: true)
        #expect(last.count == 1)
        let bytes = try #require(last.first?.value)
        #expect(!bytes.contains(word: "moof") && bytes.contains(word: "moov"))
        #expect(
            FileMending.look(.mp4, length: bytes.count) { Array(bytes[$0..<min($0 + $1, bytes.count)]) } == .foreign)
    }

    @Test("a disk that takes a few bytes at a time gets all of them", arguments: ["mp4", "mkv", "ts", "mjpeg"])
    func shortWrites(_ ending: String) throws {
        let disk = FaultyDisk { call, _ in
            if case .write(_, let bytes) = call, bytes.count > 7 { .takes(7) } else { nil }
        }
        let rig = try RecordingRig("clip.\(ending)", disk: disk)
        let packets = try ["mp4", "ts"].contains(ending) ? RecordingRig.video(15) : RecordingRig.jpegs(15)
        for packet in packets { try rig.push(packet) }
        try rig.finish()
        #expect(try rig.pictures("clip.\(ending)").count == 15)
    }

    @Test(
        "a call that fails loses one file's end at most, and what comes next is in another",
        arguments: ["mp4", "mkv", "ts", "mjpeg"])
    func failures(_ ending: String) throws {
        let count = try run(ending).calls.count
        for failing in stride(from: 0, to: count, by: 3) {
            let hasFailed = Lock(false)
            let disk = FaultyDisk { call, number in
                guard number == failing, call.isWrite || !call.isWrite else { return nil }
                return hasFailed.withLock { failed in
                    defer { failed = true }
                    return failed ? nil : .fails(EIO)
                }
            }
            let rig = try RecordingRig("clip.\(ending)", disk: disk)
            var lost = 0
            for packet in try ["mp4", "ts"].contains(ending) ? RecordingRig.video(45) : RecordingRig.jpegs(45) {
                do { try rig.push(packet) } catch { lost += (error as? CampipeError)?.lostItems ?? 1 }
            }
            do { try rig.finish() } catch { lost += (error as? CampipeError)?.lostItems ?? 1 }
            let found = try rig.folder.files.reduce(0) { try $0 + rig.pictures($1).count }
            // Until the next keyframe nothing can begin, which is nobody's fault.
            #expect(found + lost >= 45 - 10, "after call \(failing): \(found) found, \(lost) lost")
            #expect(found >= 45 - 25, "after call \(failing)")
        }
    }
}

extension [UInt8] {
    fileprivate func contains(word: String) -> Bool {
        let word = Array(word.utf8)
        return indices.dropLast(word.count - 1).contains { self[$0..<($0 + word.count)].elementsEqual(word) }
    }
}
