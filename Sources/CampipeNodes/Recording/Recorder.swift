import CampipeKit
import CampipeMedia
import CampipeStore

/// A file that is being written, whatever is in it.
protocol Recording: AnyObject {
    /// Where it is.
    var path: String { get }
    func write(_ packet: Packet) throws
    /// Ends the file; nothing is written afterwards.
    func close() throws
}

/// JPEGs back to back.
final class MJPEGRecording: Recording {
    private let file: OutputFile
    var path: String { file.path }

    init(_ file: OutputFile) { self.file = file }

    func write(_ packet: Packet) throws {
        try unsafe packet.data.withBytes { (bytes) throws(CampipeError) in unsafe try file.append(bytes) }
    }

    func close() throws { try file.close() }
}

/// A container. JPEGs become H.264 where the container or its players want that.
final class ContainerRecording: Recording {
    private let file: OutputFile
    private let container: Container
    private let fragment: Duration
    private let creationTime: WallTime
    private let transcoder: JPEGTranscoder?
    private var muxer: Muxer?
    var path: String { file.path }

    /// - Parameter format: What comes in.
    init(
        _ file: OutputFile, _ container: Container, format: PacketFormat, fragment: Duration, creationTime: WallTime,
        quality: Int, pool: FramePool
    ) {
        self.file = file
        self.container = container
        self.fragment = fragment
        self.creationTime = creationTime
        transcoder = format.coding == .jpeg && container != .mkv ? JPEGTranscoder(quality: quality, pool: pool) : nil
    }

    func write(_ packet: Packet) throws {
        guard let transcoder else { return try mux(packet) }
        for packet in try transcoder.transcode(packet) { try mux(packet) }
    }

    func close() throws {
        do {
            for packet in try transcoder?.drain() ?? [] { try mux(packet) }
            try muxer?.finish()
        } catch {
            try? file.close()
            throw error
        }
        try file.close()
    }

    /// The head is written with the first packet, whose format says what is in the stream.
    private func mux(_ packet: Packet) throws {
        if muxer == nil {
            let file = file
            muxer = try Muxer(
                .bytes { bytes in
                    try unsafe bytes.withBytes { (bytes) throws(CampipeError) in unsafe try file.append(bytes) }
                },
                container: container, streams: [packet.format], fragment: fragment, creationTime: creationTime)
        }
        try muxer?.write(packet)
    }
}
