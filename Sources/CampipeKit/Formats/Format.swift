/// What a port carries.
///
/// A format in `accepts` may leave things open: `.frames(.any)`, `.packets(.jpeg)` of any size.
public enum Format: Hashable, Sendable, Codable {
    case packets(PacketFormat)
    case frames(FrameFormat)
    case events

    /// Of which kind of item it is.
    public var kind: ItemKind {
        switch self {
        case .packets: .packet
        case .frames: .frame
        case .events: .event
        }
    }

    /// Whether an item of format `other` may be given to who accepts this; what is open here matches anything.
    public func accepts(_ other: Format) -> Bool {
        switch (self, other) {
        case (.events, .events): true
        case (.packets(let wanted), .packets(let found)):
            wanted.coding == nil || found.coding == nil || wanted.coding == found.coding
        case (.frames(let wanted), .frames(let found)):
            (wanted.pixel == nil || found.pixel == nil || wanted.pixel == found.pixel)
                && (wanted.size == nil || found.size == nil || wanted.size == found.size)
        default: false
        }
    }
}

/// The three kinds of item.
public enum ItemKind: String, Sendable, CaseIterable, Codable {
    case packet, frame, event

    /// `packets`, `frames`, `events`.
    public var plural: String { rawValue + "s" }
}

/// Width and height in pixels.
public struct Size: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Pixels across.
    public var width: Int
    /// Pixels down.
    public var height: Int

    public init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// `1280x720`.
    public var description: String { "\(width)x\(height)" }
    /// How many there are.
    public var pixels: Int { width * height }
}

extension Format: CustomStringConvertible {
    /// `packets jpeg 1280x720`, `frames yuv420 640x360`, `events`.
    public var description: String {
        func text(_ kind: String, _ parts: [String?]) -> String {
            ([kind] + parts.compactMap(\.self)).joined(separator: " ")
        }
        return switch self {
        case .packets(let format): text("packets", [format.coding?.rawValue, format.size?.description])
        case .frames(let format): text("frames", [format.pixel?.rawValue, format.size?.description])
        case .events: "events"
        }
    }
}
