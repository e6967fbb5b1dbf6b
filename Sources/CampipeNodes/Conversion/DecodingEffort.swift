import CampipeKit

/// How much of a stream is decoded whose pictures need one another.
enum DecodingEffort: String, OptionChoice {
    case all
    /// All but what no other picture refers to: of a stream without such pictures it is all.
    case reference
    case keyframes

    /// Whether a packet is decoded; what follows the others is not harmed.
    func takes(_ packet: borrowing Packet) -> Bool {
        switch self {
        case .all: true
        case .reference: packet.isKeyframe || !packet.isDisposable
        case .keyframes: packet.isKeyframe
        }
    }
}
