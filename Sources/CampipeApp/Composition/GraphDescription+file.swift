import CampipeConfig
import CampipeKit
import CampipeRuntime

extension GraphDescription {
    /// The runtime's graph of a checked file.
    ///
    /// - Parameter screen: Whether nodes that paint in the terminal run.
    init(_ file: PipelineDescription, screen: Bool = true) {
        let masks = PrivacyMasks(file)
        self.init(
            name: file.name,
            nodes: file.nodes.flatMap { node in
                var description = NodeDescription(node, masks)
                if !screen, node.registration.descriptor.name == "terminal" { description.isEnabled = false }
                return [description] + masks.nodes(of: node)
            })
    }
}

extension NodeDescription {
    fileprivate init(_ node: PipelineNode, _ masks: PrivacyMasks) {
        self.init(
            id: node.id,
            registration: node.isIsolated ? IsolatedNodes.registration(node.registration) : node.registration,
            options: node.options, camera: node.camera,
            inputs: node.inputs.map { input in
                InputDescription(
                    input.port, from: input.from.map(masks.seen), link: LinkOptions(input.link))
            },
            when: node.when.map { condition in
                WhenClause(
                    event: PortReference(condition.event.node, condition.event.port), classes: condition.classes,
                    minScore: condition.minScore)
            },
            whenLink: LinkOptions(node.whenLink), isEnabled: node.isEnabled, onError: OnError(node.onError),
            lateAfter: node.lateAfter,
            onDemand: node.onDemand, stallAfter: node.stallAfter, reconnects: node.reconnects)
    }
}

extension LinkOptions {
    init(_ link: LinkOverride) {
        self.init(
            whenFull: link.whenFull.map(WhenFull.init), maxItems: link.maxItems, maxBytes: link.maxBytes?.bytes,
            maxAge: link.maxAge)
    }
}

extension WhenFull {
    init(_ answer: FullAnswer) {
        self =
            switch answer {
            case .block: .block
            case .latest: .latest
            case .dropOldest: .dropOldest
            case .dropNewest: .dropNewest
            case .dropGOP: .dropGOP
            }
    }
}

extension OnError {
    init(_ answer: ErrorAnswer) {
        self =
            switch answer {
            case .restart: .restart
            case .skip: .skip
            case .stop: .stop
            }
    }
}
