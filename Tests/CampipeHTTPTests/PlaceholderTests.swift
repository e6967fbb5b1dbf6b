import Testing
@testable import CampipeHTTP
