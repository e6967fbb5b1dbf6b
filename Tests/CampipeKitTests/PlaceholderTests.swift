import Testing
@testable import CampipeKit
