package import CampipeKit

/// Puts the sound of a stream beside its pictures, for a muxer: in the order of `captured`, and on the pictures' line of
/// time. A value without clock.
///
/// A picture waits for the sound of its time, but never long: when pictures are further ahead than `wait`, there is no
/// sound, and they go on by themselves until some comes; the first wait a little longer. Sound waits for pictures in the
/// same way (`SoundPlacement` says where sound is on that line).
package struct SoundOrder: Sendable {
    /// What is held at most.
    private static let byteLimit = 32 << 20
    /// After so long without sound there is none.
    private static let absence = Duration.seconds(3)

    private let wait: Duration
    /// Until the first sound is there.
    private let firstWait: Duration
    private var pictures: [Packet] = []
    private var sounds: [Packet] = []
    private var byteCount = 0
    private var newestPicture: Instant?
    private var newestSound: Instant?
    /// Nobody waits for sound.
    private var isSilent: Bool
    private var newestFormat: PacketFormat?
    private var placement = SoundPlacement()

    /// - Parameters:
    ///   - wait: How much time of the stream a picture waits for sound, and sound for a picture.
    ///   - hasSound: Whether any may come; without, pictures pass at once.
    package init(wait: Duration, hasSound: Bool) {
        self.wait = wait
        firstWait = max(wait, .seconds(2))
        isSilent = !hasSound
    }

    /// What sound there is now; nil when none came yet, or not for a while.
    package var sound: PacketFormat? {
        guard let newestSound else { return nil }
        if let newestPicture, newestPicture - newestSound > Self.absence { return nil }
        return newestFormat
    }

    /// Takes a picture or a packet of sound.
    ///
    /// - Returns: What may go on now, in order: pictures as they came, sound with its time on their line.
    package mutating func add(_ packet: Packet) -> [Packet] {
        byteCount += packet.data.count
        if packet.format.isAudio {
            if packet.format != newestFormat { newestFormat = packet.format }
            newestSound = packet.captured
            isSilent = false
            sounds.append(packet)
        } else {
            newestPicture = packet.captured
            if isSilent, sounds.isEmpty, pictures.isEmpty {
                byteCount -= packet.data.count
                placement.look(at: packet)
                return [packet]
            }
            pictures.append(packet)
        }
        return release(all: false)
    }

    /// What it holds, in order.
    package mutating func flush() -> [Packet] { release(all: true) }

    /// The stream was interrupted: what it holds goes on, and the lines are compared anew.
    package mutating func interrupt() -> [Packet] {
        defer { placement = SoundPlacement() }
        return flush()
    }

    private mutating func release(all: Bool) -> [Packet] {
        var released: [Packet] = []
        var (pictureAt, soundAt) = (0, 0)
        while true {
            let picture = pictureAt < pictures.count ? pictures[pictureAt] : nil
            let sound = soundAt < sounds.count ? sounds[soundAt] : nil
            if let picture, sound.map({ picture.captured <= $0.captured }) ?? (all || mayGo(picture: picture)) {
                pictureAt += 1
                byteCount -= picture.data.count
                placement.look(at: picture)
                released.append(picture)
            } else if let sound, picture != nil || all || mayGo(sound: sound) {
                soundAt += 1
                byteCount -= sound.data.count
                if let placed = placement.place(sound) { released.append(placed) }
            } else {
                break
            }
        }
        pictures.removeFirst(pictureAt)
        sounds.removeFirst(soundAt)
        return released
    }

    /// Whether a picture may go though no sound waits.
    private mutating func mayGo(picture: Packet) -> Bool {
        if isSilent { return true }
        if let newestSound, newestSound >= picture.captured { return true }
        let limit = newestSound == nil ? firstWait : wait
        guard let newestPicture, newestPicture - picture.captured > limit || byteCount > Self.byteLimit else {
            return false
        }
        isSilent = true
        return true
    }

    /// Whether sound may go though no picture waits.
    private func mayGo(sound: Packet) -> Bool {
        if let newestPicture, newestPicture >= sound.captured { return true }
        guard let newestSound else { return true }
        return newestSound - sound.captured > wait || byteCount > Self.byteLimit
    }
}
