import CampipeKit
import CampipeStore

/// JPEGs back to back.
final class MJPEGRecording: Recording {
    private let file: OutputFile
    var path: String { file.path }
    var isPlayable: Bool { file.size > 0 }
    private(set) var pending = 0
    private(set) var taken = 0
    var size: Int { file.size }
    var isDeleted: Bool { file.isDeleted }
    private var pace: SyncPace

    /// - Parameter fragment: How much is lost at most when the power goes.
    init(_ file: OutputFile, fragment: Duration = .seconds(1)) {
        self.file = file
        pace = SyncPace(fragment)
    }

    func write(_ packet: Packet) throws {
        pending += 1
        taken += 1
        try unsafe packet.data.withBytes { (bytes) throws(CampipeError) in unsafe try file.append(bytes) }
        if pace.isDue(at: packet.dts.duration) { try file.keep() }
        pending = 0
    }

    func close() throws { try file.close(isWorthIt: isPlayable) }

    func abandon() { try? close() }
}
