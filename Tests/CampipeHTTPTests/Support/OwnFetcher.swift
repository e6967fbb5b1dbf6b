@testable import CampipeHTTP

/// A fetcher for one test, stopped when the test is over.
final class OwnFetcher {
    let fetcher: HTTPFetcher
    init() throws { fetcher = try HTTPFetcher() }
    deinit { fetcher.stop() }
}
