import CampipeKit

extension NodeKey: CustomStringConvertible {
    /// `front`; of an implicit node what it does to what: `encode(decode(front, width 640), quality 80)`.
    package var description: String {
        switch self {
        case .explicit(let id): return id
        case .implicit(let role, let upstream, let request, let owner):
            let parts = ["\(upstream)"] + request.facts + (owner.map { ["for \($0)"] } ?? [])
            return "\(role.rawValue)(\(parts.joined(separator: ", ")))"
        }
    }

    /// The explicit node that the chain begins at; of an explicit node itself.
    package var origin: String {
        switch self {
        case .explicit(let id): id
        case .implicit(_, let upstream, _, _): upstream.node.origin
        }
    }
}

extension PlannedOutput: CustomStringConvertible {
    /// The node; of an output beside the main one with its index: `cam:1`.
    package var description: String { port == 0 ? "\(node)" : "\(node):\(port)" }
}

extension LinkKey: CustomStringConvertible {
    /// `cam -> decode(cam)`; of an input beside the main one with its index: `watch:1 -> clips:2`.
    package var description: String { input == 0 ? "\(from) -> \(to)" : "\(from) -> \(to):\(input)" }
}

extension ConverterRequest {
    /// What is asked for, a word each.
    package var facts: [String] {
        [
            maxWidth.map { "width \($0)" }, lumaOnly ? "luma" : nil, format.map { "\($0)" },
            quality.map { "quality \($0)" },
        ].compactMap(\.self)
    }
}
