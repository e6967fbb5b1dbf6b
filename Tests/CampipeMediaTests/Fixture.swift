import CampipeKit
import Foundation
import Testing

/// Bytes that lie beside the tests.
enum Fixture {
    static func url(_ name: String) throws -> URL {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return folder.appendingPathComponent(name)
    }

    static func bytes(_ name: String) throws -> Bytes { Bytes(try Data(contentsOf: url(name))) }

    static func jpeg(_ name: String) throws -> Packet { packet(try bytes("jpeg/\(name).jpg")) }

    static func packet(_ bytes: Bytes, seconds: Double = 0) -> Packet {
        Packet(
            bytes, format: .jpeg, captured: Instant(nanoseconds: Int64(seconds * 1e9)),
            pts: MediaTime(ticks: Int64(seconds * 1e9), timebase: .nanoseconds))
    }

    /// A folder that goes when the body returns.
    static func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("campipe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
