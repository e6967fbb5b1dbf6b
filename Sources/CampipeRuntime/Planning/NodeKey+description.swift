import CampipeKit

extension NodeKey: CustomStringConvertible {
    /// `front`; of an implicit node what it does to what: `encode(decode(front, width 640), quality 80)`.
    package var description: String {
        switch self {
        case .explicit(let id): return id
        case .implicit(let role, let upstream, let request, let owner):
            let of = upstream.port == 0 ? "\(upstream.node)" : "\(upstream.node):\(upstream.port)"
            let parts = [of] + request.facts + (owner.map { ["for \($0)"] } ?? [])
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

extension ConverterRequest {
    /// What is asked for, a word each.
    package var facts: [String] {
        [
            maxWidth.map { "width \($0)" }, lumaOnly ? "luma" : nil, format.map { "\($0)" },
            quality.map { "quality \($0)" },
        ].compactMap(\.self)
    }
}
