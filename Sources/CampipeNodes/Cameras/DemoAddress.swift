import CampipeKit
import CampipeMedia

/// What `demo://porch?width=1280&height=720&fps=15` asks for.
struct DemoAddress: Hashable, Sendable {
    var scene: DemoScene.Kind
    var size = Size(1280, 720)
    var fps = 15.0

    /// - Throws: `.configuration` with what would be accepted.
    init(_ url: String) throws(CampipeError) {
        var faults: [CampipeError] = []
        self.init(url, &faults)
        if let first = faults.first { throw first }
    }

    /// All that is wrong with a URL, each with what would be accepted.
    static func faults(in url: String) -> [CampipeError] {
        var faults: [CampipeError] = []
        _ = DemoAddress(url, &faults)
        return faults
    }

    private init(_ url: String, _ faults: inout [CampipeError]) {
        func report(_ message: String, fix: String) {
            faults.append(CampipeError(.configuration, message, fix: fix))
        }
        scene = .porch
        guard url.lowercased().hasPrefix("demo://") else {
            report("this is no demo:// URL", fix: "write demo://porch")
            return
        }
        let parts = url.dropFirst("demo://".count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        if let scene = DemoScene.Kind(rawValue: name) {
            self.scene = scene
        } else {
            report(
                "there is no demo scene \"\(name.prefix(40))\"",
                fix: Nearest.fix(name, in: DemoScene.Kind.allCases.map(\.rawValue)))
        }
        // Whoever writes more has other worries.
        for pair in parts.count > 1 ? parts[1].split(separator: "&").prefix(16) : [] {
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            let key = sides.first ?? ""
            guard ["width", "height", "fps"].contains(key) || sides.count < 2 else {
                report(
                    "unknown setting \"\(key.prefix(40))\" of a demo",
                    fix: Nearest.fix(key, in: ["width", "height", "fps"]))
                continue
            }
            guard let number = sides.count == 2 ? Double(sides[1]) : nil else {
                report("\"\(pair.prefix(40))\" is no setting of a demo", fix: "write fps=15")
                continue
            }
            switch key {
            case "width" where (16...7680).contains(number): size.width = Int(number)
            case "height" where (16...4320).contains(number): size.height = Int(number)
            case "fps" where (0.1...120).contains(number): fps = number
            default:
                report(
                    "\(key)=\(sides[1].prefix(20)) is out of range of a demo",
                    fix: "accepted: width 16…7680, height 16…4320, fps 0.1…120")
            }
        }
    }
}
