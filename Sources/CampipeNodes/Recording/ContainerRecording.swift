import CampipeKit
import CampipeMedia
import CampipeStore

/// A container. JPEGs become H.264 where the container or its players want that; sound is beside the pictures.
final class ContainerRecording: Recording {
    private let file: OutputFile
    private let container: Container
    private let fragment: Duration
    private let creationTime: WallTime
    private let transcoder: JPEGTranscoder?
    private let sound: SoundCoder?
    private var muxer: Muxer?
    /// Sound that waits for the pictures of its time.
    private var sounds: [Packet] = []
    private var newestPicture: Duration?
    private var start: Duration?
    /// The container did not take it.
    private var isSilent = false
    /// What the file holds when the pictures in `pending` are not in it.
    private var settledSize = 0
    var path: String { file.path }
    private(set) var isPlayable = false
    private(set) var pending = 0
    private(set) var taken = 0
    var size: Int { file.size + buffered + ending + (transcoder?.heldBytes ?? 0) }
    var isDeleted: Bool { file.isDeleted }
    private var pace: SyncPace
    /// Bytes that the muxer holds, with what a container says of each packet: of its size, its times and its kind.
    private var buffered = 0
    private static let packetHead = 16
    /// Bytes of the container's end, which says where each fragment is.
    private var ending = 0
    private static let fragmentEntry = 24

    /// - Parameters:
    ///   - format: What comes in.
    ///   - transcoder: What makes H.264 of it; nil writes what comes.
    ///   - sound: What brings sound into a form that the container holds; nil writes none.
    init(
        _ file: OutputFile, _ container: Container, fragment: Duration, creationTime: WallTime,
        transcoder: JPEGTranscoder?, sound: SoundCoder? = nil
    ) {
        self.file = file
        self.container = container
        self.fragment = fragment
        self.creationTime = creationTime
        self.transcoder = transcoder
        self.sound = sound
        // What has fragments of its own is synced with each; keyframes end some early, which need not be.
        pace = SyncPace(container == .ts ? fragment : fragment / 2)
    }

    func write(_ packet: Packet) throws {
        pending += 1
        taken += 1
        guard let transcoder else { return try mux(packet) }
        for packet in try transcoder.transcode(packet) { try mux(packet) }
    }

    /// How many packets of sound wait at most; then they go, whatever the pictures do.
    private static let soundLimit = 1024

    func write(sound packet: Packet) throws {
        guard let sound, packet.format == sound.input else { return }
        // What cannot be decoded is left out: it costs no picture.
        if let made = try? sound.take(packet) { sounds += made }
        try muxSounds(all: sounds.count > Self.soundLimit)
    }

    func close() throws {
        do {
            for packet in try transcoder?.drain() ?? [] { try mux(packet) }
            if let rest = try? sound?.drain() { sounds += rest }
            try muxSounds(all: true)
            try muxer?.finish()
            try settle(holding: 0, isLast: true)
        } catch {
            abandon()
            throw error
        }
        try file.close(isWorthIt: isPlayable)
    }

    func abandon() { try? file.close(isWorthIt: isPlayable) }

    /// The head is written with the first packet, whose format says what is in the stream.
    private func mux(_ packet: Packet) throws {
        if muxer == nil {
            muxer = try makeMuxer(packet.format)
            settledSize = file.size
            start = packet.dts.duration
            sound?.begin(at: packet.dts)
        }
        let bytes = packet.data.count + Self.packetHead
        buffered += bytes
        try muxer?.write(packet)
        newestPicture = packet.dts.duration
        // What ends a fragment begins the next; a transport stream has none.
        if container == .ts { try settle(holding: 0) } else { try settle(holding: 1, bytes) }
        try muxSounds(all: false)
    }

    private func makeMuxer(_ format: PacketFormat) throws -> Muxer {
        let sound = sound.map { [$0.format] } ?? []
        do {
            return try Muxer(
                destination(file), container: container, streams: [format] + sound, fragment: fragment,
                creationTime: creationTime)
        } catch {
            // Pictures are not lost for sound's sake.
            guard !sound.isEmpty, file.size == 0, error.kind != .exhausted else { throw error }
            isSilent = true
            return try Muxer(
                destination(file), container: container, streams: [format], fragment: fragment,
                creationTime: creationTime)
        }
    }

    /// Writes the sound that the pictures have reached, behind them; none from before the first picture.
    private func muxSounds(all: Bool) throws {
        if isSilent { sounds = [] }
        guard !sounds.isEmpty, let muxer, let start, let newestPicture else { return }
        let count = all ? sounds.count : sounds.firstIndex { $0.dts.duration > newestPicture } ?? sounds.count
        let due = sounds[..<count]
        sounds.removeFirst(count)
        for packet in due where packet.dts.duration >= start {
            let bytes = packet.data.count + Self.packetHead
            buffered += bytes
            do {
                try muxer.write(packet, stream: 1)
            } catch {
                // What the container does not take is left out.
                guard !muxer.hasFailed else { throw error }
                isSilent = true
                return
            }
            try settle(holding: 0, container == .ts ? 0 : bytes)
        }
    }

    /// Matroska says in its head how long it is, once that is known; the others are never changed.
    private func destination(_ file: OutputFile) -> MuxerDestination {
        let append: (Bytes) throws -> Void = { bytes in
            try unsafe bytes.withBytes { (bytes) throws(CampipeError) in unsafe try file.append(bytes) }
        }
        guard container == .mkv else { return .bytes(append) }
        return .rewritable(append) { bytes, place in
            try unsafe bytes.withBytes { (bytes) throws(CampipeError) in unsafe try file.rewrite(bytes, at: place) }
        }
    }

    /// A muxer's call went well: if bytes came of it, a whole fragment did, which is to last.
    ///
    /// - Parameters:
    ///   - count: How many pictures the muxer holds then, and
    ///   - bytes: how many bytes.
    private func settle(holding count: Int, _ bytes: Int = 0, isLast: Bool = false) throws {
        guard file.size > settledSize else { return }
        if !isLast, let newestPicture, pace.isDue(at: newestPicture) { try file.keep() }
        settledSize = file.size
        isPlayable = true
        pending = count
        buffered = bytes
        if container != .ts { ending += Self.fragmentEntry }
    }
}
