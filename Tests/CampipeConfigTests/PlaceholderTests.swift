import Testing
@testable import CampipeConfig
