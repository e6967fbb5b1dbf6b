import CampipeKit
import CampipeMedia

/// What `demo://porch?width=1280&height=720&fps=15` asks for.
struct DemoAddress: Hashable, Sendable {
    var scene: DemoScene.Kind
    var size = Size(1280, 720)
    var fps = 15.0

    /// - Throws: `.configuration` with what would be accepted.
    init(_ url: String) throws(CampipeError) {
        guard url.lowercased().hasPrefix("demo://") else {
            throw CampipeError(.configuration, "this is no demo:// URL", fix: "write demo://porch")
        }
        let parts = url.dropFirst("demo://".count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        let scenes = DemoScene.Kind.allCases.map(\.rawValue)
        guard let scene = DemoScene.Kind(rawValue: name) else {
            throw CampipeError(
                .configuration, "there is no demo scene \"\(name.prefix(40))\"", fix: Nearest.fix(name, in: scenes))
        }
        self.scene = scene
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            let key = sides.first ?? ""
            guard let number = sides.count == 2 ? Double(sides[1]) : nil else {
                throw CampipeError(
                    .configuration, "\"\(pair.prefix(40))\" is no setting of a demo", fix: "write fps=15")
            }
            switch key {
            case "width" where (16...7680).contains(number): size.width = Int(number)
            case "height" where (16...4320).contains(number): size.height = Int(number)
            case "fps" where (0.1...120).contains(number): fps = number
            case "width", "height", "fps":
                throw CampipeError(
                    .configuration, "\(key)=\(sides[1].prefix(20)) is out of range of a demo",
                    fix: "accepted: width 16…7680, height 16…4320, fps 0.1…120")
            default:
                throw CampipeError(
                    .configuration, "unknown setting \"\(key.prefix(40))\" of a demo",
                    fix: Nearest.fix(key, in: ["width", "height", "fps"]))
            }
        }
    }
}
