import Testing
@testable import CampipeMedia
