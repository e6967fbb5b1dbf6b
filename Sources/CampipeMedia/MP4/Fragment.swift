package import CampipeKit

/// One picture of a fragmented MP4, or one frame of its sound, with all that a player needs beside the `Initialization`: `moof` and `mdat`
/// (ISO/IEC 14496-12 sections 8.8.4 and 8.1.1).
package struct Fragment: Sendable {
    /// `moof`, and the head of `mdat`.
    package var head: Bytes
    /// What is in `mdat`; the packet's own bytes where they have lengths in front of their units.
    package var body: Bytes
    /// Whether a player may begin here.
    package var isKey: Bool
    /// Decoding time, in ticks of `FragmentMuxer.timescale` since the first fragment; they only grow.
    package var time: Int64
    /// How long it lasts, as said in it: a guess by the pictures before, since the next one is not there yet.
    package var duration: Int64
    /// When the picture was taken.
    package var captured: Instant
    /// Whether it is sound, on a track of its own.
    package var isSound = false

    package var count: Int { head.count + body.count }
}

/// What comes before the fragments of one configuration: `ftyp` and `moov` (ISO/IEC 14496-12 section 8.2).
package struct Initialization: Sendable {
    package var configuration: VideoConfiguration
    package var bytes: Bytes
    /// Of the sound beside the pictures, where that is in it.
    package var sound: SoundConfiguration?

    /// All that is in it, as `codecs="..."` of a media type names it.
    package var codecs: String { configuration.codecs + (sound.map { ",\($0.codecs)" } ?? "") }

    /// The same with a second track, for sound.
    package func with(_ sound: SoundConfiguration) -> Initialization {
        Initialization(
            configuration: configuration, bytes: FragmentMuxer.initialization(configuration, sound), sound: sound)
    }
}
