internal import CampipeKit

/// Which sinks get a camera's pictures with parts covered, and which get them as they are.
struct MaskTrace {
    struct Leak {
        var source: Int
        /// Sinks, in the file's order.
        var masked: [Int]
        var unmasked: [Int]
    }

    /// One for each source that reaches sinks both ways.
    private(set) var leaks: [Leak] = []

    private static let isOpen: UInt8 = 1
    private static let isCovered: UInt8 = 2
    /// The most sources that are followed, so that the work stays in proportion.
    private static let maximumSources = 512

    /// - Parameter order: The nodes, upstream first.
    init(_ drafts: [NodeDraft], _ facts: [NodeFacts], order: [Int]) {
        guard drafts.contains(where: { $0.inspection?.masksPictures == true }) else { return }
        let pictures = drafts.map { draft in
            draft.inputs.filter { $0.port.kind != .event }.flatMap { $0.references.flatMap(\.targets) }
        }
        for source in Self.maskedSources(drafts, order: order, pictures: pictures).prefix(Self.maximumSources) {
            var ways = [UInt8](repeating: 0, count: drafts.count)
            var leak = Leak(source: source, masked: [], unmasked: [])
            for node in order {
                ways[node] = pictures[node].reduce(node == source ? Self.isOpen : 0) { $0 | ways[$1] }
                if drafts[node].inspection?.masksPictures == true, ways[node] != 0 { ways[node] = Self.isCovered }
            }
            for (node, draft) in drafts.enumerated() where draft.isSink && facts[node].off == nil {
                if ways[node] & Self.isCovered != 0 { leak.masked.append(node) }
                if ways[node] & Self.isOpen != 0 { leak.unmasked.append(node) }
            }
            if !leak.masked.isEmpty, !leak.unmasked.isEmpty { leaks.append(leak) }
        }
    }

    /// The sources upstream of any node that masks; one with `privacy` shows nobody what it covers, and who masks more
    /// of it in one branch means to.
    private static func maskedSources(_ drafts: [NodeDraft], order: [Int], pictures: [[Int]]) -> [Int] {
        var isUpstream = drafts.map { $0.inspection?.masksPictures == true }
        for node in order.reversed() where isUpstream[node] {
            for feeder in pictures[node] { isUpstream[feeder] = true }
        }
        return drafts.indices.filter {
            isUpstream[$0] && drafts[$0].section == "sources" && drafts[$0].sourceKeys.privacy == nil
        }
    }
}
