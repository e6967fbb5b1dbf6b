import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("What a viewer asks for")
struct ViewerRequestTests {
    private func request(
        _ query: [(String, String)], _ limits: StreamLimits = StreamLimits(quality: 80, viewers: 1)
    ) throws -> String {
        try ViewerRequest(query.map { (name: $0.0, value: $0.1) }, within: limits).description
    }

    @Test(
        "wishes are rounded up to steps, and cut to what the sink allows",
        arguments: [
            ("width", "1", nil), ("width", "100", "width=160"), ("width", "320", "width=320"),
            ("width", "700", "width=960"), ("width", "16384", ""), ("fps", "0.5", "fps=1"), ("fps", "12", "fps=15"),
            ("fps", "60", ""), ("quality", "1", "quality=10"), ("quality", "61", "quality=70"), ("quality", "80", ""),
            ("quality", "100", ""), ("t", "123", ""), ("fps", "inf", nil), ("width", "320.5", nil),
            ("quality", " 60", nil),
        ] as [(String, String, String?)])
    func steps(_ name: String, _ value: String, _ expected: String?) {
        #expect((try? request([(name, value)])) == expected)
    }

    @Test("the sink's options are the most that can be had")
    func limits() throws {
        let limits = StreamLimits(width: 640, fps: 5, quality: 50, viewers: 1)
        #expect(try request([("width", "640"), ("fps", "30"), ("quality", "90")], limits) == "")
        #expect(try request([("width", "500"), ("fps", "5")], limits) == "")
        #expect(
            try request([("width", "320"), ("fps", "2"), ("quality", "40")], limits) == "width=320&fps=2&quality=40")
    }

    @Test("only a quality that was asked for has a camera's JPEG encoded again")
    func again() throws {
        let limits = StreamLimits(quality: 80, viewers: 1)
        let plain = try ViewerRequest([(name: "width", value: "320")], within: limits).want(within: limits)
        #expect(plain == Want(.packets(.jpeg), maxWidth: 320, quality: 80))
        let coarse = try ViewerRequest([(name: "quality", value: "30")], within: limits).want(within: limits)
        #expect(coarse == Want(.packets(.jpeg), quality: 30, encodesAgain: true))
    }
}
