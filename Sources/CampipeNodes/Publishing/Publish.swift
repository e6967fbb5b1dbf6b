import CampipeKit
import CampipeMedia

/// How packets travel to an RTSP server.
enum PublishTransport: String, OptionChoice {
    case tcp, udp

    var transport: PublishTarget.Transport { self == .tcp ? .tcp : .udp }
}

/// Pushes a stream to a media server.
///
/// What cannot be sent in time is dropped on its link, by groups of pictures; a server that is lost is tried again as
/// `on_error` says, and the next connection begins with a keyframe.
struct Publish: Sink {
    typealias Input = Packet
    static let name = "publish"
    static let summary = "Pushes a stream to an RTSP, RTMP or SRT server."
    static let execution = Execution.ownThread
    static let connects = true
    static let inputs: [any AnyPort] = [
        In<Packet>("input", taste: .complete, accepts: [.packets(.h264), .packets(.h265)])
    ]

    @Option("The server and the stream there: rtsp, rtsps, rtmp, rtmps or srt.", example: "rtsp://127.0.0.1:8554/front")
    var url: String
    @Option("The user's name, where the server asks for one.") var username: Secret? = nil
    @Option("The password that belongs to it; of srt the passphrase that encrypts the stream.")
    var password: Secret? = nil
    @Option("How packets travel, of rtsp.") var transport: PublishTransport? = nil
    @Option("How long connecting, and sending each picture, may take.") var connectTimeout: Duration = .seconds(10)
    @Option("Whether the server's certificate is checked, of rtmps; that of rtsps cannot be.") var tlsVerify = true
    @Option("A file of certificates (PEM) to trust instead of the system's, of rtmps.") var caFile: String? = nil

    private var work: PublishWork?

    /// RTMP carries no H.265.
    var want: Want? {
        if case .rtmp? = try? PublishAddress(url).service { Want(.packets(.h264)) } else { .all }
    }

    /// Pictures that are not coded so are decoded and encoded on their way here.
    var recodes: [Coding: Coding] { [.jpeg: .h264] }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        func refuse(_ key: String, _ sentence: String, _ fix: String, _ code: FaultCode = .invalidValue) {
            faults.append(Fault(code, at: path.key(key), sentence, fix: fix))
        }
        let address: PublishAddress
        do throws(CampipeError) {
            address = try PublishAddress(url)
            _ = try target(address)
        } catch {
            return refuse("url", error.message, error.fix ?? "write rtsp://127.0.0.1:8554/front")
        }
        if connectTimeout <= .zero { refuse("connect_timeout", "a timeout is above 0", "write 10s", .outOfRange) }
        if transport != nil, address.service != .rtsp {
            refuse("transport", "transport is for rtsp", "leave it out")
        }
        if address.service == .srt, username != nil {
            refuse("username", "srt has no user", "write what the server asks for as ?streamid=... in the URL")
        }
        if address.service == .srt, let password, !(10...79).contains(password.revealed.utf8.count) {
            refuse("password", "a passphrase of srt has 10 to 79 characters", "take one of that length", .outOfRange)
        }
        checkTrust(of: address, at: path, into: &faults)
    }

    private func checkTrust(of address: PublishAddress, at path: FaultPath, into faults: inout [Fault]) {
        let checks = address.isTLS && address.service == .rtmp
        if caFile != nil, !checks {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("ca_file"), "only of rtmps a certificate is checked",
                    fix: "begin the URL with rtmps://, or leave it out"))
        }
        guard address.isTLS else { return }
        if tlsVerify, !checks {
            faults.append(
                Fault(
                    .notSupportedYet, at: path.key("url"), "the certificate of an rtsps server cannot be checked",
                    fix: "write `tls_verify: false` where nobody can be in between, or push by rtmps or srt"))
        } else if !tlsVerify {
            faults.append(
                Fault(
                    .uncheckedCertificate, at: path.key("tls_verify"),
                    "the server's certificate is not checked: anybody in between can read and change all",
                    fix: checks ? "give its authority's certificate as `ca_file`" : "push by rtmps or srt",
                    severity: .warning))
        }
    }

    private func target(_ address: PublishAddress) throws(CampipeError) -> PublishTarget {
        try address.target(
            username: username?.revealed, password: password?.revealed, transport: (transport ?? .tcp).transport,
            verifiesTLS: tlsVerify, caFile: caFile)
    }

    mutating func open(_ context: borrowing Context) throws {
        work = PublishWork(
            PublishWork.Settings(id: context.id, target: try target(try PublishAddress(url)), limit: connectTimeout),
            origins: try context.service(PublishOrigins.self), clock: context.clock, stop: context.stop,
            log: context.log)
    }

    mutating func consume(_ packet: consuming Packet) throws -> Next {
        try work?.take(packet)
        return .more
    }

    mutating func finish() throws {
        work?.close()
        work = nil
    }
}
