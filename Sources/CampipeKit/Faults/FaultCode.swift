/// The stable numbers of faults; docs/faults.md lists them. A number is never used again for something else.
public enum FaultCode: Int, Sendable, CaseIterable {
    // Reading the text.
    case syntax = 1
    case notUTF8 = 2
    case tooLarge = 3
    case tooDeep = 4
    case emptyFile = 5
    case severalDocuments = 6
    case duplicateKey = 7
    case tab = 8
    case tagNotAllowed = 9
    case aliasCycle = 10
    case unreadableFile = 11
    case mergeKey = 12
    case unknownAlias = 13
    // What stands where.
    case unknownKey = 20
    case missingKey = 21
    case wrongKind = 22
    case unsupportedVersion = 23
    case invalidName = 24
    case duplicateID = 25
    case unknownTemplate = 26
    case unknownParameter = 27
    case misplacedKey = 28
    case notSupportedYet = 29
    // Values.
    case invalidValue = 40
    case missingUnit = 41
    case outOfRange = 42
    case unknownEnumValue = 43
    case quoteIt = 44
    case missingVariable = 45
    case unreadableSecret = 46
    case unknownField = 47
    case noEffect = 48
    case unquoteIt = 49
    case missingResource = 50
    case idleNode = 51
    case missingFile = 52
    // The graph.
    case unknownType = 60
    case unknownInput = 61
    case ambiguousOutput = 62
    case cycle = 63
    case unusedNode = 64
    case wrongKindOfItem = 65
    case formatMismatch = 66
    case pathInUse = 67
    case reservedPath = 68
    case maskBypassed = 69
    case missingInput = 70
    case blockingLive = 71
    case unsafeListen = 72
    case noSink = 73
    case uncheckedCertificate = 74
    case unknownPath = 75
    case codedTwice = 76
    case switchedOff = 77
    case pacesDiffer = 78
    case refusedPlugin = 79
    case fileEach = 80
    // Found at work, by nodes.
    case node = 90

    /// `CAM0061`.
    public var text: String {
        let digits = String(rawValue)
        return "CAM" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
