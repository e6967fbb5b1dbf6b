import Testing
@testable import CampipeStore
