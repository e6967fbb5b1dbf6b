import CampipeKit
import Foundation

/// The folder of a plugin's sources: `Sources/NAME/*.swift` and, for its tests, `Tests/*.swift`; or Swift files alone.
struct PluginProject {
    /// As it was named.
    let folder: String
    /// The module's name, and that of the shared object.
    let module: String
    let sources: [String]
    let tests: [String]

    /// Where what is built is put.
    var products: String { "\(folder)/build" }
    /// The shared object.
    var library: String { "\(products)/\(module).so" }

    /// - Throws: `.configuration` or `.notFound` with what was looked for.
    init(_ folder: String) throws(CampipeError) {
        let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        self.folder = folder
        guard Self.isFolder(folder) else {
            throw CampipeError(
                .notFound, "\(folder) is no folder", fix: "campipe plugin new NAME --kind transform makes one")
        }
        guard PythonProject(folder) == nil else {
            throw CampipeError(
                .unsupported, "\(folder) is a program in Python, and nothing of it is built",
                fix: "campipe plugin test \(folder) tests it, and a node of type exec runs it, as in its pipeline.yaml")
        }
        let inner = Self.names("\(folder)/Sources").filter { Self.isFolder("\(folder)/Sources/\($0)") }
        let place: String
        switch inner.count {
        case 0:
            place = Self.swiftFiles("\(folder)/Sources").isEmpty ? folder : "\(folder)/Sources"
            let whole = URL(filePath: folder).standardizedFileURL.lastPathComponent
            module = PluginNames.camel(whole)
        case 1:
            place = "\(folder)/Sources/\(inner[0])"
            module = inner[0]
        default:
            throw CampipeError(
                .configuration, "\(folder)/Sources holds \(WordList.and(inner)), and a plugin is one module",
                fix: "put all sources into one of them")
        }
        sources = Self.swiftFiles(place)
        guard !sources.isEmpty else {
            throw CampipeError(
                .notFound, "there is no Swift file in \(place)", fix: "put the plugin's into \(folder)/Sources/NAME")
        }
        guard PluginNames.isIdentifier(module) else {
            throw CampipeError(
                .configuration, "\(module) is no name for a Swift module",
                fix: "name the folder with letters and digits, such as \(folder)/Sources/\(PluginNames.camel(module))")
        }
        let below = Self.names("\(folder)/Tests").map { "\(folder)/Tests/\($0)" }.filter(Self.isFolder)
        tests = Self.swiftFiles("\(folder)/Tests") + below.flatMap(Self.swiftFiles)
    }

    private static func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    private static func swiftFiles(_ folder: String) -> [String] {
        names(folder).filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

/// The names that a plugin has in its several places.
enum PluginNames {
    /// `NightFilter` of `night-filter`.
    static func camel(_ name: String) -> String {
        name.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// `night_filter` of `NightFilter` or `night-filter`.
    static func snake(_ name: String) -> String {
        var text = ""
        for letter in name {
            if letter.isUppercase, let last = text.last, last != "_" { text.append("_") }
            text += letter.isLetter || letter.isNumber ? letter.lowercased() : "_"
        }
        return text
    }

    static func isIdentifier(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let letters = bytes.first.map { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A } ?? false
        return letters
            && bytes.allSatisfy {
                ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0) || $0 == 0x5F
            }
    }
}
