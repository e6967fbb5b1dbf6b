import CampipeKit

/// Which events an alert is for, and how often: the options that `command` and `webhook` share.
struct AlertOptions: SharedOptions {
    @Option("The kinds of event that count, such as [motion_started, camera_lost]; all unless given.")
    var on: [String]? = nil
    @Option("For so long after an event no other of its kind and node counts; what ends one that counted does.")
    var cooldown: Duration = .zero
    @Option("When events count, in local time: days and hours such as mon-fri 22:00-06:00, one or a list.")
    var schedule: AlertSchedule? = nil

    /// What campipe itself says.
    private static let knownKinds: [EventKind] = [
        .motionStarted, .motionEnded, .clipReady, .cameraLost, .cameraFound, .diskFull, .pluginFailed,
    ]

    func check(at path: FaultPath, into faults: inout [Fault]) {
        guard let on else { return }
        let known = Self.knownKinds.map(\.rawValue)
        if on.isEmpty {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("on"), "the list is empty, so that nothing would be told",
                    fix: "name kinds, such as [motion_started], or delete \"on\" for all"))
        }
        for (index, kind) in on.enumerated() where !known.contains(kind) {
            // A node may have kinds of its own.
            guard Nearest.match(kind, in: known) != nil else { continue }
            faults.append(
                Fault(
                    .unknownEnumValue, at: path.key("on").index(index),
                    "\"\(kind)\" is no kind of event of campipe's own",
                    fix: Nearest.fix(kind, in: known), severity: .warning))
        }
    }

    /// What decides for one node.
    var filter: AlertFilter {
        AlertFilter(kinds: on.map { Set($0.map(EventKind.init(rawValue:))) }, cooldown: cooldown, schedule: schedule)
    }
}
