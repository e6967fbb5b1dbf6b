import CampipeKit
import CampipeMedia
import CampipeStore
import Foundation
import Glibc
import Testing

@testable import CampipeNodes

@Suite("What a killed process left of its recordings")
struct RepairTests {
    /// A recorder that is gone: its file's lock with it.
    private func abandon(_ ending: String, in folder: TemporaryFolder, cutting: Int) throws -> String {
        let rig = try RecordingRig("clip.\(ending)")
        let packets = try ["mp4", "ts"].contains(ending) ? RecordingRig.video(45) : RecordingRig.jpegs(45)
        for packet in packets { try rig.push(packet) }
        let path = "\(folder.path)/clip.\(ending)"
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(rig.folder.path)/clip.\(ending)")))
        bytes.removeLast(cutting)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func list(_ path: String, in folder: TemporaryFolder) throws -> (RecordingFolder, RecordingFormat) {
        var faults: [Fault] = []
        let pattern = try #require(FileNamePattern(path, at: .root, into: &faults))
        return (RecordingFolder(pattern), try #require(RecordingFormat(path: path)))
    }

    @Test("a tail that was cut goes, and what is left plays to its end", arguments: ["mp4", "mkv", "ts", "mjpeg"])
    func tails(_ ending: String) throws {
        for cutting in [0, 1, 50, 200, 777, 1500] {
            let folder = try TemporaryFolder()
            let path = try abandon(ending, in: folder, cutting: cutting)
            let (list, kind) = try list(path, in: folder)
            try list.began(path)
            RecordingRepair.mend(list, kind, log: .silent)
            let count = try RecordingRig.pictures(path).count
            #expect(count >= 20, "\(ending), \(cutting) bytes off: \(count)")
            if ending == "mkv" {
                let length = try #require(try MediaReader(path: path).duration, "an mkv says how long it is")
                #expect(abs(length.seconds - Double(count) / 10) < 0.01)
            }
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            // Mending it again changes nothing.
            RecordingRepair.mend(list, kind, log: .silent)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == size)
        }
    }

    @Test("one that holds no picture goes; one of somebody else's and one that is written stay as they are")
    func others() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/clip.mp4"
        let (list, kind) = try list(path, in: folder)
        try list.began(path)
        #expect(FileManager.default.createFile(atPath: path, contents: Data()))
        RecordingRepair.mend(list, kind, log: .silent)
        #expect(folder.files == [])

        let foreign = Data("ftyp or not, these are notes of somebody's, and no recording at all".utf8)
        try foreign.write(to: URL(fileURLWithPath: path))
        RecordingRepair.mend(list, kind, log: .silent)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == foreign)

        try FileManager.default.removeItem(atPath: path)
        let disk = KernelDisk()
        let file = try disk.create(path, permissions: 0o600)
        RecordingRepair.mend(list, kind, log: .silent)
        #expect(folder.files == ["clip.mp4"])
        try disk.close(file)
        RecordingRepair.mend(list, kind, log: .silent)
        #expect(folder.files == [])
        // What is on no list is nobody's to mend.
        try foreign.write(to: URL(fileURLWithPath: "\(folder.path)/clip_2.mp4"))
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/clip_3.mp4", contents: Data()))
        RecordingRepair.mend(list, kind, log: .silent)
        #expect(folder.files == ["clip_2.mp4", "clip_3.mp4"])
    }

    @Test("a file that was made plain is as long, has the same pictures, and H.265 stays hvc1")
    func plain() throws {
        let rig = try RecordingRig("clip.mp4") { $0.isMadePlain = true }
        let packets = try RecordingRig.video(45)
        for packet in packets { try rig.push(packet) }
        try rig.finish()
        let reader = try MediaReader(path: "\(rig.folder.path)/clip.mp4")
        #expect(try RecordingRig.pictures("\(rig.folder.path)/clip.mp4").count == 45)
        #expect(abs(try #require(reader.duration).seconds - 4.5) < 0.02)
        #expect(rig.events.map(\.kind) == [.clipReady])
        // Its length, as it is told and listed, is to the end of its last picture.
        #expect(rig.events.first?.payload["duration"] == .number(4.5))
        let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder.path)
        let list = try String(
            contentsOfFile: "\(rig.folder.path)/" + (try #require(names.first { $0.hasPrefix(".campipe-") })),
            encoding: .utf8)
        let lines = list.split(separator: "\n").filter { $0.first?.isNumber == true }
        let lengths = lines.map { $0.split(separator: " ")[1].split(separator: ",")[2] }
        #expect(lengths == ["4500000", "4500000"], "\(lines)")
        #expect(rig.said("a recording stays fragmented") == 0)
    }
}
