import CampipeHTTP
import CampipeKit
import CampipeMedia
import CampipeNodes
import Foundation

/// The suite of the node contract over one built-in type, with what the type needs around it.
///
/// It uses neither the test library nor what is internal, so `scripts/check-release` compiles it too and runs it over
/// the release build.
struct BuiltInConformance: Sendable, CustomStringConvertible {
    let registration: Registration

    /// Every registration there is.
    static let all = BuiltInNodes.registry.registrations.map(BuiltInConformance.init)
    /// Items of the search for leaks.
    static let longRun = 10_000

    var description: String {
        let descriptor = registration.descriptor
        let kinds = (descriptor.inputs.prefix(1) + descriptor.outputs.prefix(1)).map(\.kind.rawValue)
        return "\(descriptor.contract) \(descriptor.name) \(kinds.joined(separator: " to "))"
    }

    /// Checks it. Whatever it writes is in a folder that goes, whatever it fetches comes from loopback.
    ///
    /// - Returns: One report; two of what reads a file, where opening one of so many pictures takes its time.
    func check() throws -> [ConformanceReport] {
        let folder = try TemporaryFolder()
        let server = try HTTPServer(clock: SystemClock())
        let fetcher = try HTTPFetcher()
        let cameras = RTSPSessions()
        let playback = try RTSPPlayback(Self.script)
        let recorder = try RecordingServer(.discard)
        defer {
            cameras.stop()
            recorder.stop()
            playback.stop()
            fetcher.stop()
            server.stop()
            withExtendedLifetime(folder) {}
        }
        let address = try server.listen(on: ListenAddress("127.0.0.1:0"))
        try server.register("/video", access: .open) { _, _ in
            .complete(
                HTTPResponse(
                    200, headers: ["Content-Type": "multipart/x-mixed-replace;boundary=next"], body: Self.stream))
        }
        var services = Services()
        services.add(try WebStreams(server: server))
        services.add(fetcher)
        services.add(cameras)
        services.add(PublishOrigins())
        services.add(CaptureDevices { request throws(CampipeError) in EndlessCamera(request, jpeg: Self.jpeg) })
        services.add(LineWriter { _ in .written })
        services.add(
            TerminalScreen(
                environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"],
                measure: { TerminalScreen.Size(columns: 12, rows: 4) }, writing: { _ in true }))
        let addresses = [
            "http://u:pl4nted-secret@127.0.0.1:\(address.port)/video",
            "rtsp://u:pl4nted-secret@127.0.0.1:\(playback.port)/video",
            "rtsp://u:pl4nted-secret@127.0.0.1:\(recorder.port)/video",
        ]
        let url =
            registration.descriptor.name == "publish" ? addresses[2] : addresses.first(where: fetches) ?? addresses[0]
        let exempt = exempt(url: url)
        func check(_ options: Value.ValueMap, longRun: Int, exempt: [ContractRule: String]) -> ConformanceReport {
            ConformanceSuite.check(
                registration, options: options, services: services, inputs: Self.packets, longRun: longRun,
                exempt: exempt)
        }
        guard readsFile else {
            return [check(options(url: url, folder: folder.path), longRun: Self.longRun, exempt: exempt)]
        }
        var others = ContractRule.allCases.reduce(into: [:]) { $0[$1] = "it is checked with a short file" }
        others[.leaksNothing] = nil
        return [
            check(try fileOptions(50, in: folder.path), longRun: 50, exempt: exempt),
            check(try fileOptions(Self.longRun, in: folder.path), longRun: Self.longRun, exempt: others),
        ]
    }

    private var readsFile: Bool {
        registration.descriptor.contract == .source && registration.descriptor.execution == .ownThread && !captures
    }

    /// Whether it reads a camera of this machine.
    private var captures: Bool {
        registration.descriptor.name == "v4l2" || registration.descriptor.name == "camera" && fetches(Self.device)
    }
    private static let device = "v4l2:///dev/video0"

    private func fileOptions(_ count: Int, in folder: String) throws -> Value.ValueMap {
        let path = "\(folder)/\(count).mjpeg"
        try Data(Self.repeated(Self.jpeg, count)).write(to: URL(fileURLWithPath: path))
        return registration.descriptor.name == "camera" ? ["url": .text("file:\(path)")] : ["path": .text(path)]
    }

    /// The options that it must be given; none where it has its defaults.
    private func options(url: String, folder: String) -> Value.ValueMap {
        switch (registration.descriptor.name, registration.descriptor.contract) {
        case ("mask", _): return ["zones": [["0", "0"], ["0.5", "0"], ["0.5", "0.5"]]]
        case ("http", _): return ["path": "/front"]
        case ("file", .sink): return ["path": .text("\(folder)/%f.mjpeg")]
        case ("command", _): return ["argv": ["true"]]
        case ("mjpeg", _), ("rtsp", _), ("publish", _), ("webhook", _): return ["url": .text(url)]
        case ("v4l2", _): return ["format": registration.descriptor.outputs.first?.kind == .packet ? "mjpeg" : "yuyv"]
        case ("camera", _) where captures: return ["url": .text(Self.device)]
        case ("test_pattern", _):
            let kind: Value = registration.descriptor.outputs.first?.kind == .packet ? "empty" : "picture"
            return ["width": "16", "height": "16", "speed": "max", "count": "20000", "kind": kind]
        case ("camera", _): return ["url": fetches(url) ? .text(url) : "demo://gray?width=16&height=16&fps=25"]
        default: return [:]
        }
    }

    private func exempt(url: String) -> [ContractRule: String] {
        guard registration.descriptor.contract == .source, fetches(url) else { return [:] }
        return [.repeatsItself: "what a turn finds depends on what the network has brought by then"]
    }

    private func fetches(_ url: String) -> Bool {
        let inspection = registration.inspect(["url": .text(url)])
        return inspection.applies && !inspection.faults.contains { $0.severity == .error }
    }

    // MARK: What it is fed

    /// JPEGs and H.264 of the sizes that the suite asks for.
    private static let packets = ConformanceInputs { format, size, number in
        let frame = picture(size, number)
        switch format.coding {
        case .jpeg: return (try? JPEGEncoder().encode(frame, quality: 70, pool: .shared)).map { ($0, true) }
        case .h264:
            // One group each: a packet alone is a keyframe.
            guard let encoder = try? VideoEncoder(frame.format),
                let packet = try? encoder.encode(frame, pool: .shared).first
            else { return nil }
            let head = encoder.format.parameterSets?.array ?? []
            return (Bytes(head + packet.data.array), true)
        default: return nil
        }
    }

    /// A slope that moves with the number.
    private static func picture(_ size: Size, _ number: Int) -> Frame {
        let buffer = FramePool.shared.buffer(.yuv420, size)
        for index in buffer.planes.indices {
            buffer.withMutablePlane(index) { base, plane in
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        base[y * plane.stride + x] = index == 0 ? UInt8((x + y + number) % 200) : 128
                    }
                }
            }
        }
        return Frame(buffer, captured: .zero, pts: MediaTime(.zero))
    }

    /// A small JPEG.
    private static let jpeg: [UInt8] =
        (try? JPEGEncoder().encode(picture(Size(16, 16), 0), quality: 70, pool: .shared))?.array ?? []
    /// More pictures than any run takes, so that the stream does not end however long the network takes.
    private static let stream: Bytes = {
        let head = "--next\r\nContent-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n"
        return Bytes(repeated(Array(head.utf8) + jpeg + Array("\r\n".utf8), longRun + 500))
    }()

    /// The same pictures over RTSP, for as long as somebody reads.
    private static let script: RTSPPlayback.Script = {
        var script = RTSPPlayback.Script()
        script.sdp = RTSPPlayback.jpegDescription
        script.stream = RTSPPlayback.jpegs([[UInt8]](repeating: jpeg, count: 1000))
        script.then = .loop
        return script
    }()

    private static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        all.reserveCapacity(bytes.count * count)
        for _ in 0..<count { all += bytes }
        return all
    }
}
