import CampipeKit
import CampipeNodes

import Testing
@testable import CampipeConfig

@Test func tmp() {
    let registry = BuiltInNodes.registry
    let text = """
        version: 1
        name: home
        server: {listen: "127.0.0.1:8080"}
        sources:
          front: {type: test_pattern}
        transforms:
          small: {type: scale, input: front, width: 640}
          watch: {type: motion, input: front}

          id: {type: identity, input: front}
        sinks:


          l:    {type: log, input: watch.events}
          l2:    {type: log, input: front, when: watch}
          d: {type: discard, input: id}
        """
    let file = PipelineFile(Array(text.utf8), name: "x.yaml", registry: registry, surroundings: .process(folder: "."))
    print(file.report.text())
    for node in file.description?.nodes ?? [] { print(node.id, node.inputs.map(\.from), node.registration.descriptor.inputs.first?.kind as Any) }
    for r in registry.registrations { print(r.descriptor.contract, r.descriptor.name, r.descriptor.inputs.map { "\($0.name):\($0.kind)\($0.takesMany ? "*" : "")" }, r.descriptor.outputs.map { "\($0.name):\($0.kind)" }, r.descriptor.options.map(\.key)) }
}
