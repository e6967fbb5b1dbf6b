import CampipeKit
import CampipePlugins
import Foundation

/// The Swift compiler that plugins are built by: the one that built this campipe.
struct Toolchain {
    let swiftc: String
    let clang: String
    /// The folder of the toolchain's own libraries: `usr/lib/swift`.
    let libraries: String

    private static let usualFolders = ["/opt/swift/usr/bin", "/usr/libexec/swift/bin", "/usr/local/swift/usr/bin"]

    /// - Parameters:
    ///   - host: What the plugin is to be loaded into.
    ///   - environment: `PATH`, and `CAMPIPE_TOOLCHAINS` as scripts/setup.sh has it.
    /// - Throws: `.notFound` with the compilers that there are.
    init(for host: HostIdentity, environment: [String: String]) throws(CampipeError) {
        let path = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let extra = environment["CAMPIPE_TOOLCHAINS"].map { $0.split(separator: " ").map(String.init) }
        var others: [String] = []
        var seen: Set<String> = []
        for folder in path + (extra ?? Self.usualFolders) where folder.hasPrefix("/") {
            let program = "\(folder)/swiftc"
            guard FileManager.default.isExecutableFile(atPath: program) else { continue }
            let real = URL(filePath: program).resolvingSymlinksInPath().path(percentEncoded: false)
            guard seen.insert(real).inserted else { continue }
            let asked = ChildProgram(
                program, ["--version"], environment: environment, deadline: .seconds(120))
            let version = try asked.run().outputText.split(separator: "\n").first.map(String.init) ?? "no compiler"
            guard version == host.compiler else {
                others.append("\(program) is \(version)")
                continue
            }
            let bin = URL(filePath: real).deletingLastPathComponent()
            swiftc = program
            let beside = bin.appending(path: "clang").path(percentEncoded: false)
            clang = FileManager.default.isExecutableFile(atPath: beside) ? beside : "/usr/bin/clang"
            libraries = bin.deletingLastPathComponent().appending(path: "lib/swift").path(percentEncoded: false)
            return
        }
        let found = others.isEmpty ? "there is no swiftc in PATH or /opt/swift" : others.joined(separator: "; ")
        throw CampipeError(
            .notFound, "a plugin is built by the compiler that built campipe, \(host.compiler), and \(found)",
            fix: "put that toolchain's usr/bin into PATH")
    }
}
