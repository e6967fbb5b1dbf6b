import Testing
@testable import CampipeNodes
