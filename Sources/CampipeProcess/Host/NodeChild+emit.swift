package import CampipeKit

extension NodeChild.Made {
    /// Hands it on through the node's outputs.
    ///
    /// - Parameter outputs: Their names, in order.
    package func emit(to output: inout Output, _ outputs: [String]) {
        switch self {
        case .format: break
        case .rest(let instant): output.rest(until: instant)
        case .gap(let port, let count):
            if count > 0 { output.gap(Gap(.lost, count: count, at: .distantPast), on: port) }
        case .frame(let port, let frame): output.emit(frame, on: Out<Frame>(outputs[port]))
        case .packet(let port, let packet): output.emit(packet, on: Out<Packet>(outputs[port]))
        case .event(let port, let event): output.emit(event, on: Out<Event>(outputs[port]))
        }
    }
}
