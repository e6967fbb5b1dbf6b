import CampipeConfig
import CampipeKit
import Foundation

/// The camera of a command line: a URL, and the flags that say who asks for its pictures.
struct CameraArguments {
    let camera: CameraEntry

    /// - Throws: `.configuration` for a URL or a password that is none, or a file that cannot be read.
    init(_ invocation: Invocation, _ console: Console, _ input: PasswordInput) throws(CampipeError) {
        var options = CameraEntry.Options(
            username: invocation[Flags.username], proxy: invocation[Flags.proxy],
            tlsVerify: invocation.all(Flags.tlsVerify).last ?? true, tlsFingerprint: invocation[Flags.tlsFingerprint],
            caFile: invocation[Flags.caFile].map(Self.absolute))
        if let file = invocation[Flags.passwordFile] {
            options.passwordFile = Self.absolute(file)
            options.password = try Self.secret(in: file)
        } else if options.username != nil {
            options.password = try input.read(console, twice: false)
        }
        camera = try CameraEntry(invocation.arguments[0], options)
        guard options.proxy == nil || ["http", "https"].contains(camera.scheme) else {
            throw CampipeError(
                .configuration, "--proxy does nothing here: the URL is of the kind \(camera.scheme)",
                fix: "leave it out, or give the http or https URL that it belongs to")
        }
    }

    /// Secrets of a file are found from the file's folder, and the one that this makes may be put anywhere.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func secret(in path: String) throws(CampipeError) -> String {
        switch Surroundings.process(folder: ".").secret(path) {
        case .success(let secret): return secret
        case .failure(let problem):
            throw CampipeError(.configuration, "cannot read the password from \(path): \(problem.sentence)")
        }
    }
}
