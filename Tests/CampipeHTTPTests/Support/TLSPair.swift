import CampipeKit
import Foundation

@testable import CampipeHTTP

/// A folder with a certificate that signs itself and its key, and what curl says of a server with them.
final class TLSPair: Sendable {
    let folder: URL
    var files: TLSFiles { TLSFiles(certificate: path("cert.pem"), key: path("key.pem")) }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "campipe-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try renew()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// Writes a new pair; `key` keeps the old key where it is false.
    func renew(certificate: String = "cert.pem", key: String = "key.pem") throws {
        let pair = try SelfSignedCertificate.make(names: ["127.0.0.1", "localhost"], time: SystemClock().wallTime)
        try Data(pair.certificate).write(to: folder.appending(path: certificate))
        try Data(pair.key).write(to: folder.appending(path: key))
    }

    /// Runs curl, which trusts this certificate only and gives up after 30 s.
    ///
    /// - Returns: Its exit code and its output.
    func curl(_ arguments: [String], trusting certificate: String = "cert.pem") throws -> (code: Int32, output: Data) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = ["-sS", "--max-time", "30", "--cacert", path(certificate)] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    func text(_ arguments: [String]) throws -> String { String(decoding: try curl(arguments).output, as: UTF8.self) }
}
