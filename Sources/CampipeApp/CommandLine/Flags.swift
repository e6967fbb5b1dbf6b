import CampipeHTTP
import CampipeKit

/// Every flag of every command, each declared once.
enum Flags {
    static let help = Flag<Bool>(switch: "help", "Print this help.")
    static let json = Flag<Bool>(switch: "json", "Print JSON, for programs.")

    // run, validate, graph, list, inspect, schema
    static let pluginPath = Flag<String>(
        "plugin-path", "PATH", "Take plugins from this folder too, or this one plugin.", isRepeatable: true)

    // plugin
    static let debug = Flag<Bool>(switch: "debug", "Build without optimization, for a debugger.")
    static let kind = Flag<PluginKind>(
        "kind", "KIND", "What it is to be: source, transform (default), join or sink.")
    static let language = Flag<PluginLanguage>(
        "language", "LANGUAGE", "What it is written in: swift (default) or python.")

    // run
    static let duration = Flag<Duration>(
        "duration", "DURATION", "Stop after this time, such as 10s or 5m.", reject: notZero)
    static let set = Flag<Assignment>(
        "set", "PATH=VALUE", "Put a value into the pipeline's description.", isRepeatable: true)
    static let listen = Flag<String>(
        "listen", "ADDRESS:PORT", "Serve HTTP here instead of where the file says.",
        reject: { $0.hasPrefix(":") ? noHost($0) : noAddress($0) })
    static let lan = Flag<Bool>(
        switch: "lan", "Serve on all addresses, to the file's users or one made now.")
    static let noScreen = Flag<Bool>(switch: "no-screen", "Do not paint pictures in the terminal.")
    static let logLevel = Flag<LogLevel>("log-level", "LEVEL", "Write trace, debug, info (default), warning or error.")
    static let logFormat = Flag<LogFormat>("log-format", "FORMAT", "Write the log as text (default) or json.")

    // probe, view
    static let username = Flag<String>(
        "username", "NAME", "The camera's user; the password comes from standard input.")
    static let passwordFile = Flag<String>(
        "password-file", "FILE", "Read the password from this file instead.")
    static let proxy = Flag<String>(
        "proxy", "URL", "The proxy, http://host:port, or none; by default as the environment says.")
    static let tlsVerify = Flag<Bool>(
        "tls-verify", "true|false", "Whether the camera's certificate is checked (default true).")
    static let tlsFingerprint = Flag<String>(
        "tls-fingerprint", "HASH", "The SHA-256 of a certificate that no authority has signed.")
    static let caFile = Flag<String>(
        "ca-file", "FILE", "Certificates (PEM) to trust instead of the system's.")
    static let viewFPS = Flag<Double>("fps", "NUMBER", "Pictures a second at most (default 10).") {
        $0 >= 0.1 && $0 <= 60 ? nil : "is out of range; accepted: 0.1 to 60"
    }
    static let columns = Flag<Int>("width", "COLUMNS", "Columns that the picture takes at most (default: all).") {
        $0 >= 2 && $0 <= 10_000 ? nil : "is out of range; accepted: 2 to 10000"
    }

    // graph, inspect
    static let graphFormat = Flag<GraphFormat>("format", "FORMAT", "Print text (default), dot for Graphviz, or json.")
    static let inspectFormat = Flag<InspectFormat>("format", "FORMAT", "Print text (default), markdown or json.")

    // recordings
    static let camera = Flag<String>("camera", "NAME", "Only of this camera.")
    static let from = Flag<TimePoint>("from", "TIME", "Only what reaches beyond this time.")
    static let to = Flag<TimePoint>("to", "TIME", "Only what begins before this time.")
    static let withEvents = Flag<Bool>(switch: "events", "Only those in which something happened.")
    static let limit = Flag<Int>("limit", "NUMBER", "The newest so many (default 100).") {
        $0 >= 1 ? nil : "is out of range; accepted: 1 and more"
    }
    static let folder = Flag<String>(
        "folder", "FOLDER", "Recordings of this folder too; it is remembered.", isRepeatable: true)
    static let rebuild = Flag<Bool>(switch: "rebuild", "Make the index anew.")
    static let output = Flag<String>("output", "FILE", "The file to write: .mp4, .mkv or .ts.")
    static let decode = Flag<Bool>(switch: "decode", "Decode every picture too.")
    static let yes = Flag<Bool>(switch: "yes", "The clock is right.")

    // simulate
    static let scene = Flag<String>("scene", "NAME", "The scene to show (default porch).")
    static let size = Flag<PictureSize>("size", "WxH", "The pictures' size (default 1280x720).")
    static let fps = Flag<Double>("fps", "NUMBER", "Pictures a second (default 15).") {
        $0 > 0 && $0 <= 240 ? nil : "is out of range; accepted: more than 0, at most 240"
    }
    static let cameras = Flag<Int>("cameras", "NUMBER", "How many cameras to be (default 1).") {
        (1...256).contains($0) ? nil : "is out of range; accepted: 1 to 256"
    }
    static let simulateListen = Flag<String>(
        "listen", "ADDRESS:PORT", "Serve here (default 127.0.0.1:8090).", reject: noAddress)
    static let noBoundary = Flag<Bool>(
        switch: "no-boundary", "Send bare JPEGs back to back, without a multipart boundary.")
    static let stallEvery = Flag<Duration>(
        "stall-every", "DURATION", "Send nothing for a while, this often, with the connection open.",
        reject: notZero)
    static let stallFor = Flag<Duration>(
        "stall-for", "DURATION", "How long such a while is (default 8s).", reject: notZero)
    static let cutEvery = Flag<Duration>("cut-every", "DURATION", "Close the connection this often.", reject: notZero)
    static let damageEvery = Flag<Duration>(
        "damage-every", "DURATION", "Send a damaged picture this often.", reject: notZero)

    private static func noAddress(_ text: String) -> String? {
        if (try? ListenAddress(text)) != nil { return nil }
        let isPort = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
        if isPort, Int(text).map({ $0 <= 65535 }) == true { return noHost(":" + text) }
        return "is no address to listen on; write one like 127.0.0.1:8080, the port from 0 to 65535"
    }

    private static func noHost(_ port: String) -> String {
        "is no address to listen on; write 127.0.0.1\(port) for this machine, 0.0.0.0\(port) for all"
    }

    private static func notZero(_ duration: Duration) -> String? {
        duration > .zero ? nil : "is no time at all"
    }
}
