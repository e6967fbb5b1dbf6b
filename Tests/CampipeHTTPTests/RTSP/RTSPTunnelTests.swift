import CampipeKit
import Testing

@testable import CampipeHTTP

@Suite("RTSP in a tunnel of HTTP")
struct RTSPTunnelTests {
    @Test(
        "what follows the head of the tunnel's answer is the camera's, whatever bytes the head holds",
        arguments: [("Server: cam", ""), ("Server: caf\u{E9}", ""), ("Server: \u{E9}\u{E9}", "$\u{0}\u{0}\u{4}abcd")])
    func head(field: String, rest: String) throws {
        func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
        let answer = latin("HTTP/1.0 200 OK\r\n\(field)\r\n\r\n\(rest)")
        let server = try ReplayServer { request in
            ReplayServer.Reply(bytes: request.method == "GET" ? answer : [], chunk: answer.count, then: .stall)
        }
        defer { server.stop() }
        let request = RTSPRequest(try RTSPURL("rtsp://127.0.0.1:\(server.port)/1"), connectTimeout: .seconds(10))
        let connection = try RTSPConnection(
            tunnel: request, cookie: "x", stop: StopFlag(), clock: SystemClock(), authorization: { _, _, _ in nil })
        var taken: [UInt8] = []
        if !rest.isEmpty {
            #expect(
                eventually {
                    _ = try? connection.receive { unsafe taken += Array($0) }
                    return taken.count >= rest.unicodeScalars.count
                })
        }
        #expect(taken == latin(rest))
    }
}
