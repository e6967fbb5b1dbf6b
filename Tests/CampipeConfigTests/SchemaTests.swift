import CampipeKit
import Foundation
import Testing

@testable import CampipeConfig

@Suite("The JSON Schema of a pipeline file")
struct SchemaTests {
    private func schema() throws -> [String: Any] {
        try #require(
            JSONSerialization.jsonObject(with: Data(PipelineSchema(testRegistry).json().utf8)) as? [String: Any])
    }

    @Test("It has every type with every option, its input and the keys of its section")
    func types() throws {
        let definitions = try #require(schema()["definitions"] as? [String: Any])
        for registration in testRegistry.registrations {
            let descriptor = registration.descriptor
            let type = try #require(definitions["\(descriptor.contract.section).\(descriptor.name)"] as? [String: Any])
            let properties = try #require(type["properties"] as? [String: Any])
            #expect(Set(descriptor.options.map(\.key)).isSubset(of: properties.keys))
            #expect(Set(["type", "when", "enabled"]).isSubset(of: properties.keys))
            #expect((properties["input"] != nil) == !descriptor.inputs.isEmpty)
            #expect((properties["inputs"] != nil) == (descriptor.inputs.first?.takesMany ?? false))
        }
        let http = (definitions["sinks.http"] as? [String: Any])?["properties"] as? [String: Any]
        #expect(http?["late_after"] != nil && http?["on_demand"] == nil && http?["preview"] != nil)
    }

    @Test("Every reference in it leads somewhere")
    func references() throws {
        let schema = try schema()
        let definitions = try #require(schema["definitions"] as? [String: Any])
        var found = 0
        func visit(_ value: Any) {
            if let map = value as? [String: Any] {
                if let reference = map["$ref"] as? String {
                    found += 1
                    #expect(definitions[String(reference.dropFirst("#/definitions/".count))] != nil, "\(reference)")
                }
                map.values.forEach(visit)
            } else if let list = value as? [Any] {
                list.forEach(visit)
            }
        }
        visit(schema)
        #expect(found > 20)
    }
}
