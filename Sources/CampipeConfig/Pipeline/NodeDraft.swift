internal import CampipeKit

/// A node on its way from the file's tree to the description.
struct NodeDraft {
    /// Unique: `web`, or `yard/web` from a template.
    let id: String
    /// `sources`, `transforms` or `sinks`.
    let section: String
    /// The node's key, in the file or in its template.
    let keyMark: Mark
    /// The map, with parameters put in and defaults merged.
    var value: LocatedValue
    let camera: CameraUse?
    /// The keys that `defaults` gave it.
    var defaulted: Set<String> = []

    var registrations: [Registration] = []
    /// The plugin that its type is of, where that is not taken: the node fails, and the rest works.
    var refusal: RefusedPlugin?
    var options = Value.ValueMap()
    var inspection: NodeInspection?
    var keys = NodeKeys()
    var sourceKeys = SourceKeys()
    var sinkKeys = SinkKeys()
    var inputs: [InputDraft] = []
    var when: [WhenDraft] = []
    var links: [String: LinkOverride] = [:]

    init(id: String, section: String, keyMark: Mark, value: LocatedValue, camera: CameraUse? = nil) {
        self.id = id
        self.section = section
        self.keyMark = keyMark
        self.value = value
        self.camera = camera
    }

    /// The id as its own file or template says it.
    var name: String { sibling(id) }
    var path: FaultPath { FaultPath([.key(section), .key(id)]) }

    /// What it calls another node: in a template one of its own camera goes by its name.
    func sibling(_ id: String) -> String {
        guard let camera, id.hasPrefix("\(camera.name)/") else { return id }
        return String(id.dropFirst(camera.name.count + 1))
    }

    /// Whether its type is known; what hangs on an unknown one is not checked further.
    var isKnown: Bool { !registrations.isEmpty }
    /// Whether its options say something wrong, so that nothing can be told from them.
    var hasFaultyOptions: Bool { inspection?.faults.contains { $0.severity == .error } ?? true }
    var isSink: Bool { section == "sinks" }

    /// Those of its outputs that a reference may mean without naming them.
    var impliedOutputs: [PortDescriptor] {
        let implied = registrations.first?.descriptor.impliedOutputs.map(\.name) ?? []
        return outputs.filter { implied.contains($0.name) }
    }

    /// Its outputs as others see them: where `privacy` covers parts of the pictures, frames come out, however the
    /// source codes them.
    var outputs: [PortDescriptor] {
        let outputs = registrations.first?.descriptor.outputs ?? []
        guard sourceKeys.privacy != nil else { return outputs }
        let pictures = pictureOutputs
        return outputs.map { output in
            guard pictures.contains(output.name) else { return output }
            var covered = output
            covered.kind = .frame
            covered.formats = [.frames(.any)]
            return covered
        }
    }

    /// The names of the outputs that carry pictures; sound, events and packets without a picture are none.
    var pictureOutputs: [String] {
        let outputs = registrations.first?.descriptor.outputs ?? []
        return outputs.enumerated().filter { index, output in
            var format = output.formats.first ?? output.kind.anyFormat
            if index == 0, let said = inspection?.format, said.kind == output.kind { format = said }
            switch format {
            case .frames: return true
            case .packets(let packets): return !packets.isAudio && packets.coding != .empty
            case .events: return false
            }
        }.map(\.element.name)
    }
}

/// The camera that a template's copy was made for.
struct CameraUse: Hashable {
    var name: String
    /// The camera's key under `cameras`.
    var mark: Mark
    /// What stands there.
    var value: Mark
    var parameters: [String]

    /// Whether something is written there.
    func gives(_ mark: Mark) -> Bool {
        mark.source == value.source && (value.start..<value.end).contains(mark.start)
    }
}

/// What stands at one input's key.
struct InputDraft {
    var port: PortDescriptor
    var references: [ReferenceDraft]
    /// Whether all that is written there could be read.
    var isWhole = true
}

/// One reference as written, with the nodes it means.
struct ReferenceDraft {
    var text: ReferenceText
    var path: FaultPath
    /// Indices of the drafts that it names; several for a pattern.
    var targets: [Int] = []
}

struct WhenDraft {
    var reference: ReferenceDraft
    var classes: [String]
    var minScore: Double?
}
