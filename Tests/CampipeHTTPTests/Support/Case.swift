import Testing
import Foundation

/// One of the kept cases: what a camera or a client really sends, and what is right then.
struct Case: Decodable, Sendable, CustomTestStringConvertible {
    struct Auth: Decodable, Sendable {
        var scheme: String
        var user: String
        var password: String
        var realm: String?
        var nonce: String?
        var qop: String?
        var algorithm: String?
    }
    var name: String
    var kind: String
    var result: String?
    var frames: Int?
    var frame_sha256: [String]?
    var size: [Int]?
    var sizes: [[Int]]?
    var url_userinfo: String?
    var auth: Auth?
    var then: String?

    var testDescription: String { name }

    static let all: [Case] = {
        guard let data = try? Data(contentsOf: fixtures.appending(path: "cases.json")) else { return [] }
        return (try? JSONDecoder().decode([Case].self, from: data)) ?? []
    }()
    static func of(_ kinds: String...) -> [Case] { all.filter { kinds.contains($0.kind) } }
    static func named(_ name: String) -> Case? { all.first { $0.name == name } }

    static let fixtures = Bundle.module.url(forResource: "Fixtures", withExtension: nil) ?? URL(fileURLWithPath: "/")

    func bytes(_ part: String? = nil) throws -> [UInt8] {
        let suffix = kind == "jpeg" ? ".jpg" : ".bin"
        let file = name + (part.map { "." + $0 } ?? "") + suffix
        return Array(try Data(contentsOf: Case.fixtures.appending(path: "\(kind)/\(file)")))
    }

    /// The head and the body of an answer, chunked coding undone.
    func answer(_ part: String? = nil) throws -> (type: String?, body: [UInt8]) {
        let all = try bytes(part)
        let text = String(decoding: all.prefix(2000), as: Unicode.ASCII.self)
        let ends = [text.range(of: "\r\n\r\n"), text.range(of: "\n\n")].compactMap { $0 }
        guard let end = ends.min(by: { $0.lowerBound < $1.lowerBound }), !all.starts(with: Array("--".utf8)) else {
            return (nil, all)
        }
        let head = text[..<end.lowerBound].split(whereSeparator: \.isNewline)
        let type = head.first { $0.lowercased().hasPrefix("content-type:") }?.dropFirst("content-type:".count)
        let body = Array(all[text.utf8.distance(from: text.startIndex, to: end.upperBound)...])
        let chunked = head.contains { $0.lowercased().hasPrefix("transfer-encoding: chunked") }
        return (type.map { String($0).trimmingCharacters(in: .whitespaces) }, chunked ? dechunked(body) : body)
    }

    private func dechunked(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        var out: [UInt8] = []
        while let feed = rest.firstIndex(of: 10) {
            let digits = String(decoding: rest[..<feed], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let size = Int(digits, radix: 16), size > 0 else { break }
            out += rest[(feed + 1)..<(feed + 1 + size)]
            rest = rest[(feed + 1 + size + 2)...]
        }
        return out
    }
}
