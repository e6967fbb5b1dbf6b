import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Numbers of subscriptions")
struct SubscriptionNumbersTests {
    private let limits = StreamLimits(quality: 80, viewers: 10)
    private func request(_ width: Int) throws -> ViewerRequest {
        try ViewerRequest([(name: "width", value: String(width))], within: limits)
    }
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test("the same request has the same number again for two seconds, another one has another")
    func again() throws {
        var numbers = SubscriptionNumbers()
        let (small, large) = (try request(160), try request(640))
        #expect(numbers.begin(small, at: at(0)) == 1)
        for _ in 0..<10 {
            numbers.end(1, of: small, at: at(1))
            #expect(numbers.begin(small, at: at(2.9)) == 1)
        }
        #expect(numbers.begin(large, at: at(3)) == 2)
        numbers.end(1, of: small, at: at(4))
        #expect(numbers.begin(small, at: at(6)) == 3)
    }

    @Test("of many sixteen are kept")
    func bounded() throws {
        var numbers = SubscriptionNumbers()
        let requests = try (0..<20).map { number in
            try ViewerRequest(
                [
                    (name: "width", value: String([160, 320, 640, 960][number % 4])),
                    (name: "fps", value: String([1, 2, 5, 10, 15][number / 4])),
                ], within: limits)
        }
        for request in requests { _ = numbers.begin(request, at: at(0)) }
        for (index, request) in requests.enumerated() { numbers.end(Demand.ID(index + 1), of: request, at: at(1)) }
        #expect(numbers.begin(requests[3], at: at(1)) == 21)
        #expect(numbers.begin(requests[4], at: at(1)) == 5)
    }
}
