import CampipeKit
import Foundation
import Testing

@testable import CampipeStore

/// A folder of its own for a test, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "campipe-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The paths of all files below it, relative to it, sorted, but for the lists that recordings keep.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return all.filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(path)/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue && !$0.contains(".campipe-")
        }.sorted()
    }

    func contents(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }

    /// A pattern below it.
    func pattern(_ text: String, fields: [String] = []) throws -> FileNamePattern {
        var faults: [Fault] = []
        let pattern = FileNamePattern("\(path)/\(text)", fields: fields, at: .root, into: &faults)
        return try #require(pattern, "\(faults)")
    }

    /// Writes a file that was last changed at this time.
    func put(_ name: String, bytes: Int, modified: WallTime) throws {
        let url = URL(filePath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(count: bytes).write(to: url)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: modified.unixSeconds)], ofItemAtPath: url.path)
    }
}

/// 2025-03-09 08:07:06.000042 UTC.
let morning = WallTime(microseconds: 1_741_507_626_000_042)
let utc = LocalZone.fixed(seconds: 0)
