import Foundation

/// Certificates made by openssl for one test, and a camera behind TLS that shows one of them.
final class TLSFixture {
    let folder: URL
    private var servers: [Process] = []

    /// Makes an authority, a certificate of 127.0.0.1 that it has signed, and one that signed itself.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "campipe-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let name = ["-addext", "subjectAltName=IP:127.0.0.1", "-days", "30"]
        try run(
            ["req", "-x509"] + key + ["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", "30"])
        try run(["req"] + key + ["-keyout", "signed.key", "-out", "signed.csr", "-subj", "/CN=camera"])
        try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(to: folder.appending(path: "names"))
        try run([
            "x509", "-req", "-in", "signed.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
            "signed.pem", "-days", "30", "-extfile", "names",
        ])
        try run(["req", "-x509"] + key + name + ["-keyout", "own.key", "-out", "own.pem", "-subj", "/CN=camera"])
    }

    deinit {
        // It inherited the signal mask of a thread of Dispatch: only this ends it.
        for server in servers where server.isRunning { kill(server.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ file: String) -> String { folder.appending(path: file).path }

    /// `AB:CD:…` of a certificate, as openssl tells it.
    func fingerprint(_ certificate: String) throws -> String {
        let text = try run(["x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"])
        return text.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
    }

    /// `sha256//…` of a certificate's public key, as openssl tells it.
    func publicKey(_ certificate: String) throws -> String {
        try Data(run(["x509", "-in", certificate, "-noout", "-pubkey"]).utf8).write(
            to: folder.appending(path: "public"))
        try run(["pkey", "-pubin", "-in", "public", "-outform", "der", "-out", "public.der"])
        try run(["dgst", "-sha256", "-binary", "-out", "public.hash", "public.der"])
        return "sha256//" + (try Data(contentsOf: folder.appending(path: "public.hash"))).base64EncodedString()
    }

    /// Serves `answers` by name over TLS, whole HTTP answers, with the certificate `name`.pem.
    ///
    /// - Returns: The port. It ends after so many connections, or with this object.
    func serve(_ name: String, _ answers: [String: [UInt8]], connections: Int = 20) throws -> UInt16 {
        for (file, bytes) in answers { try Data(bytes).write(to: folder.appending(path: file)) }
        let output = Pipe()
        let server = openssl([
            "s_server", "-accept", "127.0.0.1:0", "-cert", "\(name).pem", "-key", "\(name).key", "-HTTP", "-naccept",
            "\(connections)",
        ])
        server.standardOutput = output
        try server.run()
        servers.append(server)
        var text = ""
        while true {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw TestClient.Closed() }
            text += String(decoding: more, as: UTF8.self)
            guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT ") }), text.hasSuffix("\n")
            else { continue }
            guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw TestClient.Closed() }
            // What it says later is read by nobody, and it says little.
            return port
        }
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        let process = openssl(arguments)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestClient.Closed() }
        return String(decoding: data, as: UTF8.self)
    }

    private func openssl(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }
}
