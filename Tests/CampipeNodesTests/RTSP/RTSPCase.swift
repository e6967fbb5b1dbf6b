import CampipeKit
import Foundation
import Testing

@testable import CampipeHTTP

/// One of the kept cases: what a camera really says and sends, and what is right then.
struct RTSPCase: Decodable, Sendable, CustomTestStringConvertible {
    struct Expect: Decodable, Sendable {
        var result: String?
        var frames: Int?
        var barcodes: [Int]?
        var barcodes_must_include: [Int]?
        var first_barcode: Int?
        var size: [Int]?
        var lost: Int?
        var pts_step_s: Double?
    }
    struct Auth: Decodable, Sendable {
        var user: String
        var password: String
        var realm: String
        var nonce: String
        var algorithm: String
    }
    struct Serve: Decodable, Sendable {
        var then: String
        var content_base: String?
        var no_ctype: Bool?
        var cseq_name: String?
        var lf_only: Bool?
        var `public`: String?
        var transport: String?
        var play_extra: String?
        var session_timeout: Int?
        var early_data: Bool?
        var gone_after: Int?
        var rate: Int?
        var auth: Auth?
    }
    var name: String
    var expect: Expect
    var serve: Serve

    var testDescription: String { name }

    static let folder = Bundle.module.url(forResource: "Fixtures", withExtension: nil)?.appending(path: "rtsp")
    static let all: [RTSPCase] = {
        guard let folder, let data = try? Data(contentsOf: folder.appending(path: "cases.json")) else { return [] }
        return (try? JSONDecoder().decode([RTSPCase].self, from: data)) ?? []
    }()
    static func named(_ name: String) throws -> RTSPCase { try #require(all.first { $0.name == name }) }

    static func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: try #require(folder).appending(path: file)))
    }

    /// The camera.
    func script() throws -> RTSPPlayback.Script {
        var script = RTSPPlayback.Script()
        script.sdp = try Self.bytes("\(name).sdp")
        script.stream = try Self.bytes("\(name).bin")
        script.then = ["stall": .stall, "loop": .loop, "reset": .reset][serve.then] ?? .close
        script.contentBase = serve.content_base ?? script.contentBase
        script.hasContentType = serve.no_ctype != true
        script.numberName = serve.cseq_name ?? script.numberName
        script.endsLinesWithLF = serve.lf_only == true
        script.offered = serve.public ?? script.offered
        script.transport = serve.transport ?? script.transport
        script.playFields = serve.play_extra ?? ""
        script.timeout = serve.session_timeout
        script.isEarly = serve.early_data == true
        script.forgetsAfter = serve.gone_after
        script.rate = serve.rate ?? 0
        guard let auth = serve.auth else { return script }
        script.challenge = "Digest realm=\"\(auth.realm)\", nonce=\"\(auth.nonce)\", algorithm=\"\(auth.algorithm)\""
        script.admits = { method, uri, authorization in
            func hash(_ text: String) -> String { MessageDigest.sha256.text(Array(text.utf8)) }
            let proof = hash(
                "\(hash("\(auth.user):\(auth.realm):\(auth.password)")):\(auth.nonce):\(hash("\(method):\(uri)"))")
            return authorization?.contains("response=\"\(proof)\"") == true
        }
        return script
    }
}
