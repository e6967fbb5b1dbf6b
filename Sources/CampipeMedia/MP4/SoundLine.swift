package import CampipeKit

/// Lays frames of AAC behind one another without a hole, for players that stop at one. A value.
///
/// What is missing becomes silence: a hole when the sound behind it comes, and sound that stops, as soon as the pictures
/// are a second ahead; from then on silence goes along with them until sound comes again.
package struct SoundLine: Sendable {
    /// Samples a frame.
    package static let frame: Int64 = 1024
    /// So far behind the pictures sound has stopped.
    private static let patience = Duration.seconds(1)
    /// So far behind them silence goes along.
    private static let distance = Duration.milliseconds(100)
    /// A hole that is not filled: the pictures had it too.
    private static let longest = Duration.seconds(10)

    /// A frame and where it begins, in samples since the first fragment.
    package struct Piece: Sendable {
        package var data: Bytes
        package var time: Int64
    }

    package let configuration: SoundConfiguration
    private let silence: Bytes
    private var next: Int64?
    private var isSilent = false

    /// - Parameter silence: A frame of silence.
    package init(_ configuration: SoundConfiguration, silence: Bytes) {
        self.configuration = configuration
        self.silence = silence
    }

    /// Adds a frame of sound that was heard at a time since the first fragment.
    ///
    /// - Returns: What is to be played next; nothing for what would lie over what was played.
    package mutating func add(_ data: Bytes, at time: Duration) -> [Piece] {
        let found = samples(time)
        guard found > -Self.frame else { return [] }
        isSilent = false
        let expected = next ?? max(0, found)
        guard found - expected > -Self.frame / 2 else { return [] }
        var pieces = fill(expected, to: found)
        let place = next ?? expected
        pieces.append(Piece(data: data, time: place))
        next = place + Self.frame
        return pieces
    }

    /// The pictures are at a time since the first fragment.
    package mutating func cover(upTo time: Duration) -> [Piece] {
        guard let expected = next else { return [] }
        let limit = samples(time - (isSilent ? Self.distance : Self.patience))
        guard expected < limit else { return [] }
        isSilent = true
        return fill(expected, to: samples(time - Self.distance))
    }

    private mutating func fill(_ start: Int64, to end: Int64) -> [Piece] {
        var place = start
        // What is too long for silence is jumped over, in whole frames.
        if end - place > samples(Self.longest) { place = end }
        var pieces: [Piece] = []
        while end - place >= Self.frame {
            pieces.append(Piece(data: silence, time: place))
            place += Self.frame
        }
        next = place
        return pieces
    }

    private func samples(_ time: Duration) -> Int64 {
        Int64((time.seconds * Double(configuration.sampleRate)).rounded())
    }
}
