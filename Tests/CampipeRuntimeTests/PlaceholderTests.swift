import Testing
@testable import CampipeRuntime
