import CampipeHTTP
import CampipeKit
import Foundation
import Testing

@testable import CampipeApp

@Suite("campipe probe", .serialized)
struct ProbeTests {
    private let picture: [UInt8]

    init() throws { picture = try CameraRig.picture() }

    /// A camera that asks for a password by these fields, and streams to who gives one.
    private func camera(asking fields: String? = nil, type: String? = nil) throws -> ScriptedCamera {
        let picture = picture
        return try ScriptedCamera { request in
            if let fields, !request.head.contains("Authorization: ") {
                return [.send(Answers.status("401 Unauthorized", fields))]
            }
            if let type {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(picture.count)\r\n\r\n"
                return [.send(Array(head.utf8) + picture)]
            }
            return [.send(Answers.head), .stream(Answers.part(picture))]
        }
    }

    private func probe(_ words: [String], input: String = "") -> (code: ExitCode, output: String, error: String) {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(input.utf8))
        try? pipe.fileHandleForWriting.close()
        let captured = Captured()
        guard case .command(let invocation)? = try? CommandLineParser.parse(["probe"] + words) else {
            return (.usage, "", "the command line was not understood")
        }
        let reading = PasswordInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
        let code = ProbeCommand(invocation, captured.console(), input: reading).perform()
        return (code, captured.output, captured.error)
    }

    /// What is wrong with a file, as `validate` says it.
    private func faults(_ file: String) throws -> String {
        let folder = try TemporaryFolder()
        let result = Captured.run(["validate", try folder.file("camera.yaml", file)])
        return result.code == 0 ? "" : result.error
    }

    @Test("a stream is told about in three lines, and what is printed is a pipeline file")
    func stream() throws {
        let camera = try camera()
        defer { camera.stop() }
        let result = probe([camera.url])
        #expect(result.code == .ok && result.error == "")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines[0] == "# MJPEG over HTTP: multipart/x-mixed-replace, boundary \"b\"")
        let match = try #require(lines[1].wholeMatch(of: /# (\d+x\d+), ([\d.]+) pictures a second/))
        #expect((15...55).contains(try #require(Double(match.2))))
        #expect(lines[2] == "# asks for no password")
        #expect(result.output.contains("    url: \"\(camera.url)\"\n"))
        #expect(try faults(result.output) == "")
        #expect(camera.connections == 1)
    }

    @Test("--json says the same to programs, with the file")
    func json() throws {
        let camera = try camera(type: "image/jpeg")
        defer { camera.stop() }
        let result = probe([camera.url, "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let read = try #require(object)
        #expect(read["speaks"] as? String == "JPEG over HTTP" && read["shape"] as? String == "image/jpeg")
        #expect(read["still"] as? Bool == true && read["fps"] is NSNull && read["login"] is NSNull)
        #expect(read["width"] as? Int ?? 0 > 0)
        #expect(try faults(try #require(read["file"] as? String)) == "")
    }

    @Test(
        "a password in the URL, on standard input or in a file opens it, and is printed nowhere",
        arguments: ["url", "input", "file"])
    func passwords(way: String) throws {
        let camera = try camera(asking: "WWW-Authenticate: Digest realm=\"a, b\", nonce=\"1\", Basic realm=\"c\"\r\n")
        defer { camera.stop() }
        let folder = try TemporaryFolder()
        let file = try folder.file("pw", "S3:cr@et\n")
        let result =
            switch way {
            case "url": probe([camera.url.replacing("//", with: "//me:S3%3Acr%40et@")])
            case "input": probe([camera.url, "--username", "me"], input: "S3:cr@et\n")
            default: probe([camera.url, "--username", "me", "--password-file", file])
            }
        #expect(result.code == .ok, "\(result.error)")
        #expect(result.output.contains("# asks for a password (Digest, Basic)\n"))
        #expect(!result.output.contains("S3") && !result.error.contains("S3"))
        #expect(result.output.contains("    username: \"me\"\n"))
        let password = way == "file" ? "!secret \"file:\(file)\"" : "\"${CAMERA_PASSWORD:-}\""
        #expect(result.output.contains("    password: \(password)\n"))
        #expect(try faults(result.output) == "")
    }

    @Test("a password in the query is not printed either, and goes to the camera as it was")
    func query() throws {
        let camera = try camera()
        defer { camera.stop() }
        let result = probe([camera.url + "?user=me&pwd=S3cr%26et&channel=${1}"])
        #expect(result.code == .ok, "\(result.error)")
        #expect(result.output.contains("?user=me&pwd=${CAMERA_PASSWORD:-}&channel=$${1}\"\n"), "\(result.output)")
        #expect(camera.heads.first?.hasPrefix("GET /video?user=me&pwd=S3cr%26et&channel=${1} ") == true)
        #expect(try faults(result.output) == "")
    }

    @Test("a password in a URL's path becomes the variable, and is the variable's value")
    func pathPassword() throws {
        let entry = try CameraEntry("http://cam/user=me_password=hunter2_channel=1_stream=0.sdp")
        #expect(entry.shown == "http://cam/user=me_password=${CAMERA_PASSWORD:-}_channel=1_stream=0.sdp")
        #expect(entry.secrets == ["CAMERA_PASSWORD": "hunter2"])
    }

    @Test("what fails says the cause and what to try, and leaves with 1")
    func failures() throws {
        let picture = picture
        func failure(_ url: String, _ more: [String] = [], input: String = "", says words: [String]) {
            let result = probe([url] + more, input: input)
            #expect(result.code == .failed && result.output == "")
            for word in words { #expect(result.error.contains(word), "\(result.error)") }
            #expect(result.error.hasPrefix("campipe: ") && result.error.count(where: { $0 == "\n" }) == 1)
        }
        func answer(_ steps: @escaping @Sendable () -> [ScriptedCamera.Step], says words: [String]) throws {
            let camera = try ScriptedCamera { _ in steps() }
            defer { camera.stop() }
            failure(camera.url, says: words)
        }
        let silent = try ScriptedCamera(listens: false) { _ in [] }
        failure(silent.url, says: ["the connection is refused; check the address and port"])
        failure("http://no-such-camera.invalid/", says: ["its name has no address; check the host of the URL"])
        let digest = "WWW-Authenticate: Digest realm=\"x\", nonce=\"1\"\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
        try answer(
            { [.send(Answers.status("401 Unauthorized", digest))] },
            says: ["401 Unauthorized and asks for Digest or Basic", "give --username NAME"])
        let bearer = "WWW-Authenticate: Bearer\r\n"
        try answer({ [.send(Answers.status("401 Unauthorized", bearer))] }, says: ["asks for Bearer"])
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>Log in</html>"
        try answer(
            { [.send(Array(page.utf8)), .close] }, says: ["got text/html", "<html>Log in", "not of the camera's page"])
        try answer({ [.send(Answers.status("404 Not Found"))] }, says: ["404 Not Found; check the path"])
        try answer({ [.send(Answers.head + picture.prefix(500)), .close] }, says: ["ended within its first picture"])
        failure("rtsp://u:S3cr3t@no-such-camera.invalid/1", says: ["address"])
        failure("v4l2:///dev/video99", says: ["cannot open /dev/video99: there is no such camera"])
        failure("gopher://cam", says: ["there is no camera of the kind \"gopher\""])
        failure("192.168.1.20", says: ["looks like a host"])
        failure("no-such-file.mp4", says: ["no-such-file.mp4"])
        failure("http://cam:99999/", says: ["out of range"])
        let empty = "cannot read the password from"
        failure("http://cam/", ["--username", "x", "--password-file", "/no/such"], says: [empty])
        failure("http://cam/", ["--username", "x"], input: "\n", says: ["the password is empty"])
    }

    @Test("a camera that answers nothing, or no picture, holds it for ten seconds", arguments: [true, false])
    func bounded(answers: Bool) throws {
        let camera = try ScriptedCamera { _ in answers ? [.send(Answers.head), .hang] : [.hang] }
        defer { camera.stop() }
        let clock = SystemClock()
        let began = clock.now
        let result = probe([camera.url])
        let took = clock.now - began
        #expect(result.code == .failed && took >= .seconds(9) && took < .seconds(20), "\(took)")
        #expect(result.error.contains(answers ? "no picture came in 10 s" : "no answer in 10 s"), "\(result.error)")
    }

    @Test("the demo and files are probed by a pipeline of their own")
    func others() throws {
        let demo = probe(["demo://porch?width=320&height=180&fps=20"])
        #expect(demo.code == .ok, "\(demo.error)")
        #expect(demo.output.hasPrefix("# MJPEG of the built-in demo\n# 320x180, "))
        #expect(try faults(demo.output) == "")
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a b.jpg").path(percentEncoded: false)
        try Data(picture).write(to: URL(filePath: file))
        let still = probe([file])
        #expect(still.code == .ok, "\(still.error)")
        #expect(still.output.hasPrefix("# MJPEG from a file\n"))
        #expect(try faults(still.output) == "")
    }

    @Test("a camera that the process reads already is not asked again")
    func shared() throws {
        let camera = try camera()
        defer { camera.stop() }
        let fetcher = try HTTPFetcher()
        defer { fetcher.stop() }
        let clock = SystemClock()
        let reader = MJPEGConnection(FetchRequest(try CameraURL(camera.url)), fetcher: fetcher, clock: clock) {}
        defer { reader.cancel() }
        while reader.waiting == 0 { usleep(5000) }
        let finding = try HTTPProber(clock: clock, fetcher: fetcher).probe(CameraEntry(camera.url))
        #expect(finding.shape == "multipart/x-mixed-replace, boundary \"b\"")
        #expect(finding.fps ?? 0 > 5)
        #expect(camera.connections == 1)
        // The probe has left, and the reader goes on.
        while reader.waiting > 0 { _ = reader.next() }
        var more = 0
        for _ in 0..<2000 where more < 2 {
            if case .picture? = reader.next() { more += 1 } else { usleep(5000) }
        }
        #expect(more == 2)
    }

    @Test("a proxy is asked, stands in the file, and its password does not")
    func proxy() throws {
        let proxy = try camera()
        defer { proxy.stop() }
        let plain = probe(["http://camera.invalid/video", "--proxy", "http://127.0.0.1:\(proxy.port)"])
        #expect(plain.code == .ok, "\(plain.error)")
        #expect(proxy.heads.first?.hasPrefix("GET http://camera.invalid/video ") == true)
        #expect(plain.output.contains("    proxy: \"http://127.0.0.1:\(proxy.port)\"\n"))
        #expect(try faults(plain.output) == "")
        let secret = probe(["http://camera.invalid/video", "--proxy", "http://me:plant8@127.0.0.1:\(proxy.port)"])
        #expect(secret.code == .ok, "\(secret.error)")
        #expect(secret.output.contains("    proxy: \"${CAMERA_PROXY:-none}\"\n") && !secret.output.contains("plant8"))
        #expect(proxy.heads.last?.contains("Proxy-Authorization: Basic ") == true)
        #expect(try faults(secret.output) == "")
        let wrong = probe(["http://camera.invalid/video", "--proxy", "gopher://x"])
        #expect(wrong.code == .failed && wrong.error.contains("there is no proxy of the kind \"gopher\""))
        let useless = probe(["rtsp://camera.invalid/1", "--proxy", "http://x:1"])
        #expect(useless.code == .failed && useless.error.contains("--proxy does nothing here"))
    }

    @Test("what is only warned of in the camera's file is said before the probe")
    func warnings() throws {
        let camera = try ScriptedCamera(listens: false) { _ in [] }
        let result = probe([camera.url.replacing("http:", with: "https:"), "--tls-verify", "false"])
        #expect(result.code == .failed && result.output == "")
        let lines = result.error.split(separator: "\n")
        #expect(lines.count == 2 && lines.first == Self.unchecked, "\(result.error)")
    }

    /// Also told by `view`.
    static let unchecked: Substring =
        "campipe: warning: the camera's certificate is not checked: anybody in between can read and change all; "
        + "give its `tls_fingerprint`, or its authority's certificate as `ca_file` [CAM0074]"

    @Test("--tls-verify false leaves a certificate unchecked, in the probe and in the file")
    func unchecked() throws {
        for (word, isChecked) in [("true", true), ("false", false)] {
            guard
                case .command(let invocation) = try CommandLineParser.parse([
                    "probe", "https://cam/", "--tls-verify", word,
                ])
            else { return }
            let camera = try CameraArguments(invocation, Captured().console(), .standardInput).camera
            #expect(try camera.request().verifiesTLS == isChecked)
            #expect(camera.file(sink: "x: {}").contains("    tls_verify: false\n") == !isChecked)
        }
        #expect(throws: UsageError.self) {
            try CommandLineParser.parse(["probe", "https://cam/", "--tls-verify", "no"])
        }
    }
}
