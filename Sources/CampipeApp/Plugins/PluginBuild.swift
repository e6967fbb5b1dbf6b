import CampipeKit
import CampipePlugins
import Foundation
import Glibc

/// Builds a plugin: finds its types of node, writes the function that hands them over and the handshake, and compiles all
/// against the modules of this campipe, whose symbols the plugin takes when it is loaded.
struct PluginBuild {
    /// What went wrong.
    enum Failure: Error {
        /// What the compiler says, as it says it.
        case compiler(String)
        case other(CampipeError)
    }

    let project: PluginProject
    let host: HostIdentity
    let toolchain: Toolchain
    /// Without optimization, for a debugger.
    let isDebug: Bool
    let environment: [String: String]

    /// What a compiler may take at most: a machine at its limits, and nobody who waits.
    private static let deadline = Duration.seconds(600)

    init(_ project: PluginProject, isDebug: Bool = false, environment: [String: String]) throws(CampipeError) {
        self.project = project
        self.isDebug = isDebug
        self.environment = environment
        host = try HostIdentity(program: PluginChild.program)
        toolchain = try Toolchain(for: host, environment: environment)
    }

    /// Builds the shared object.
    func library() throws(Failure) { try build(project.sources, to: project.library, entry: nil) }

    /// Builds a shared object of the sources and the tests, which runs them.
    ///
    /// - Returns: Where it is.
    func tests() throws(Failure) -> String {
        let out = "\(project.products)/.tests/\(project.module)Tests.so"
        let entry = """
            import Glibc
            import Testing

            @_cdecl("\(PluginHandshake.testEntry)")
            public func campipePluginTests() {
                Task { exit(await Testing.__swiftPMEntryPoint() as CInt) }
            }

            """
        try build(project.sources + project.tests, to: out, entry: entry)
        return out
    }

    /// - Parameter entry: A function in the place of the one that hands over types.
    private func build(_ sources: [String], to out: String, entry: String?) throws(Failure) {
        let work = "\(project.products)/\(entry == nil ? ".work" : ".tests")"
        let object = "\(work)/handshake.o"
        let entryFile = "\(work)/CampipePluginEntry.swift"
        do {
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
            let found = try types(in: sources, work, isForTests: entry != nil)
            try write(handshake(found?.named ?? []).source, to: "\(work)/handshake.c")
            try run(
                toolchain.clang, ["-c", "-fPIC", "-O1", "-o", object, "\(work)/handshake.c"])
            var files = sources
            if let text = entry ?? found?.entry {
                try write(text, to: entryFile)
                files.append(entryFile)
            }
            var words = isDebug || entry != nil ? ["-Onone", "-g"] : ["-O", "-wmo"]
            words += ["-swift-version", "6", "-parse-as-library", "-emit-library", "-module-name", project.module]
            words += ["-I", host.modules, "-o", "\(out).new"]
            if entry != nil { words += ["-plugin-path", "\(toolchain.libraries)/host/plugins/testing"] }
            // Neither -lCampipeKit nor --no-undefined: a plugin that brought its own copy of the SDK would load, run, and
            // lie.
            try run(toolchain.swiftc, words + files + [object])
            try FileManager.default.moveReplacing("\(out).new", to: out)
        } catch let error as Failure {
            throw error
        } catch let error as CampipeError {
            throw .other(error)
        } catch {
            throw .other(CampipeError(.failed, "cannot write into \(work)", cause: error))
        }
    }

    private func handshake(_ types: [PluginHandshake.NodeType]) -> PluginHandshake {
        PluginHandshake(compiler: host.compiler, sdk: host.sdk, types: types)
    }

    /// The types in the sources; nil where the author hands them over, or nothing has to.
    private func types(in sources: [String], _ work: String, isForTests: Bool) throws -> FoundTypes? {
        if isForTests { return nil }
        let list = "\(work)/protocols.json"
        let values = "\(work)/types.json"
        try write(FoundTypes.protocols, to: list)
        let words = [
            "-frontend", "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", project.module,
            "-I", host.modules, "-emit-const-values-path", values, "-const-gather-protocols-file", list, "-o",
            "\(work)/\(project.module).swiftmodule",
        ]
        try run(toolchain.swiftc, words + sources)
        let found = try FoundTypes([UInt8](Data(contentsOf: URL(filePath: values))), module: project.module)
        let isByHand = sources.contains { file in
            (try? String(contentsOfFile: file, encoding: .utf8))?.contains("@_cdecl(\"\(PluginHandshake.entry)\")")
                == true
        }
        if isByHand { return nil }
        guard !found.types.isEmpty else {
            throw CampipeError(
                .configuration, "\(project.folder) has no type of node",
                fix: "write a struct that is a Source, Transform, Join, Mixer or Sink")
        }
        return found
    }

    private func write(_ text: String, to file: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }

    private func run(_ program: String, _ words: [String]) throws {
        let child = ChildProgram(program, words, environment: environment, deadline: Self.deadline)
        let result = try child.run()
        switch result.ending {
        case .exited(0): return
        case .exited: throw Failure.compiler(result.outputText + result.errorText)
        case .crashed(let signal):
            throw Failure.compiler(
                result.outputText + result.errorText + "\(program) was ended by signal \(signal)\n")
        case .timedOut:
            throw CampipeError(.timedOut, "\(program) did not end in \(Self.deadline.components.seconds) s")
        }
    }
}

extension FileManager {
    /// Puts a file into the place of another, at once.
    func moveReplacing(_ file: String, to place: String) throws {
        if rename(file, place) != 0 { throw CampipeError.system("cannot write \(place)", errno: errno) }
    }
}
