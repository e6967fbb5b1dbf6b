import CampipeKit

/// One output of a node: its links, and what they are still to be told.
///
/// Its runner says when what waits in the port may go. Whoever is woken by a link may look at it meanwhile.
final class Outlet {
    private(set) var links: [Link] = []
    /// How much of what waits in the port is on the links.
    private var items = 0
    private var controls = 0
    /// Where the format stands that was planned for, if any.
    private var plannedControl: Int?
    /// The format that the links were told last.
    private var format: Format? { didSet { keepsNewest = keepsPictures && format?.isLastingPicture == true } }
    /// The newest item, of a live source of pictures that stand alone: for links that are opened.
    private var newest: ItemStorage?
    private var keepsNewest = false
    /// What came since the newest keyframe, of inter-coded packets: for links that are made.
    private var group: KeptGroup?
    private let keepsPictures: Bool
    private let keepsGroups: Bool

    /// - Parameters:
    ///   - keepsPictures: Whether links that are opened are given its newest picture.
    ///   - keepsGroups: Whether links that are made in mid-stream begin with the newest keyframe.
    init(keepsPictures: Bool, keepsGroups: Bool) {
        self.keepsPictures = keepsPictures
        self.keepsGroups = keepsGroups
    }

    /// Whether anybody wants what it carries.
    var isWanted: Bool { links.contains { $0.isOpen } }

    /// Puts what waits in the port on the links, up to a new format that nothing was planned for yet.
    ///
    /// - Returns: That format; what follows it stays in the port until `offer` is called again.
    func offer(_ port: inout OutputPorts.Port) -> Format? {
        let itemCount = port.items.count
        let controlCount = port.controls.count
        guard itemCount > 0 || controlCount > 0 else { return nil }
        var end = controls
        var next: Format?
        while end < controlCount {
            if case .format(let format) = port.controls[end].1 {
                guard plannedControl == end else {
                    next = format
                    break
                }
                self.format = format
                group = keepsGroups && format.isInterCoded ? KeptGroup() : nil
            }
            end += 1
        }
        let itemEnd = end < controlCount ? port.controls[end].at : itemCount
        let range = EmittedRange(items: items..<itemEnd, controls: controls..<end)
        if !range.items.isEmpty || !range.controls.isEmpty {
            if group != nil { keep(range, of: port) }
            if keepsNewest, let last = range.items.last { newest = port.items[last] }
            for position in links.indices {
                links[position].offer(port, range, isLast: position == links.count - 1)
            }
        }
        if next != nil {
            items = itemEnd
            controls = end
            plannedControl = end
        } else {
            items = 0
            controls = 0
            plannedControl = nil
            port.items.removeAll()
            port.controls.removeAll(keepingCapacity: true)
        }
        return next
    }

    private func keep(_ range: EmittedRange, of port: OutputPorts.Port) {
        var next = range.items.lowerBound
        func add(upTo end: Int) {
            while next < end {
                if let item = port.items[next] { group?.add(item) }
                next += 1
            }
        }
        for control in range.controls {
            let (position, control) = port.controls[control]
            add(upTo: position)
            if control.gap?.isLost == true { group?.clear() }
        }
        add(upTo: range.items.upperBound)
    }

    func attach(_ link: Link, at now: Instant) {
        links.append(link)
        // One that was announced and is planned for now comes by itself, and may be all that the consumer takes.
        guard plannedControl == nil, let format else { return }
        link.offer(.format(format))
        if let group = group?.current(at: now), !group.isEmpty { link.begin(with: group) }
    }

    func detach(_ key: LinkKey) { links.removeAll { $0.key == key } }

    func detachAll() { links = [] }

    /// Gives the links that were opened the newest picture.
    func greet() {
        var greeting: ItemStorage?
        if plannedControl == nil, let newest, newest.hasFormat(format) {
            let copy = newest.copy()
            copy.flags.formUnion([.live, .exempt, .earlier])
            greeting = copy
        }
        for link in links { link.greet(greeting) }
    }

    /// What it gave up to now is not to be shown any more.
    func forgetNewest() { newest = nil }

    /// It gives nothing more.
    func forgetGroup() { group = nil }
}

extension Format {
    /// Whether each item is a picture that is worth keeping: small, and shown without any other.
    fileprivate var isLastingPicture: Bool {
        if case .packets(let packets) = self { packets.coding == .jpeg } else { false }
    }
}
