import Testing
@testable import CampipeApp
