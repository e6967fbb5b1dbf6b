import CampipeKit

extension PlanFailure {
    /// What the output gives is not what the input takes.
    static func mismatch(
        consumer: GraphOrder.Node, _ input: PortDescriptor, producer: GraphOrder.Node, _ port: Int,
        gives format: Format, missing role: ConverterRole?
    ) -> PlanFailure {
        let output = producer.descriptor.outputs[port]
        let takes = input.formats.map(\.description).joined(separator: " or ")
        let made = output.kind == format.kind ? "" : ", which come out of it as"
        let gives = made.isEmpty ? format.description : "\(output.kind.plural)\(made) \(format)"
        let message = "\(consumer.id).\(input.name) takes \(takes), but \(producer.id).\(output.name) gives \(gives)"
        let fix =
            if let role {
                "add a \(role.rawValue) node between them; none is known to put in by itself"
            } else if input.kind == .event || format.kind == .event {
                "link \(consumer.id).\(input.name) to an output that carries \(input.kind.plural)"
            } else if input.kind == .frame, format.kind == .frame {
                "add a scale node between them that gives \(takes)"
            } else {
                "add a node between them that gives \(takes)"
            }
        return PlanFailure(.unsupported, message, fix: fix)
    }

    /// The node itself says that it cannot work with what comes.
    static func refused(_ error: any Error, by node: GraphOrder.Node, _ input: Format) -> PlanFailure {
        guard let error = error as? CampipeError else {
            return PlanFailure(.failed, "\(node.id) cannot take \(input): \(error)")
        }
        return PlanFailure(error.kind, "\(node.id) cannot take \(input): \(error.message)", fix: error.fix)
    }
}
