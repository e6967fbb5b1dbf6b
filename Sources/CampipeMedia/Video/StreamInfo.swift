package import CampipeKit

/// One elementary stream of a container.
package struct StreamInfo: Hashable, Sendable {
    /// What a stream carries.
    package enum Kind: String, Sendable { case video, audio, other }

    /// Its number in the container.
    package var index: Int
    /// What it carries.
    package var kind: Kind
    /// Coding, size, rate, timebase, parameter sets.
    package var format: PacketFormat
    /// How long it is, where the container says so.
    package var duration: Duration?
}
