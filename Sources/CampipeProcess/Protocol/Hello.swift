package import CampipeKit

/// The first message to a child: who it is in the pipeline, and with what options.
package struct Hello: Sendable {
    /// The version of the protocol.
    package static let version = 1

    package var node: String
    package var pipeline: String
    package var source: String
    package var camera: String?
    package var isLive: Bool
    package var contract: NodeDescriptor.Contract
    package var inputs: [PortDescriptor]
    package var outputs: [PortDescriptor]
    /// What the file gives the program, as JSON.
    package var options: [String: EventValue]
    /// The file that `model` names.
    package var model: String?
    /// What rows of frames are padded to.
    package var align = 1
    /// The shared memory: its size, and where the child's part begins.
    package var memory: (byteCount: Int, own: Int)?
    /// What only a child of our own understands.
    package var further: [String: EventValue] = [:]

    package init(
        _ context: borrowing Context, contract: NodeDescriptor.Contract, inputs: [PortDescriptor],
        outputs: [PortDescriptor], options: [String: EventValue] = [:], model: String? = nil
    ) {
        node = context.id
        pipeline = context.pipeline
        source = context.source
        camera = context.camera
        isLive = context.isLive
        self.contract = contract
        self.inputs = inputs
        self.outputs = outputs
        self.options = options
        self.model = model
    }

    package var map: [String: EventValue] {
        func ports(_ ports: [PortDescriptor]) -> EventValue {
            .list(ports.map { .map(["name": .text($0.name), "kind": .text($0.kind.rawValue)]) })
        }
        var map: [String: EventValue] = [
            "protocol": .integer(Self.version), "node": .text(node), "pipeline": .text(pipeline),
            "source": .text(source), "live": .bool(isLive), "role": .text(contract.rawValue),
            "inputs": ports(inputs), "outputs": ports(outputs), "options": .map(options), "align": .integer(align),
        ]
        map["camera"] = camera.map(EventValue.text)
        map["model"] = model.map(EventValue.text)
        if let memory {
            map["memory"] = .map([
                "descriptor": .integer(3), "bytes": .integer(memory.byteCount), "own": .integer(memory.own),
            ])
        }
        return map.merging(further) { own, _ in own }
    }
}
