/// What a consumer asks of an input: how much of it is worth making.
///
/// A want is a wish, not a promise: what comes may be larger or more often, never less where it could be had.
public struct Want: Hashable, Sendable {
    /// In what shape it is to come; nil takes it as the port has it.
    public var format: Format?
    /// Pixels across; nil wants all there are.
    public var maxWidth: Int?
    /// Pixels down that are needed beside those across, so that what comes has at least as many of both; nil leaves
    /// it to `maxWidth`. It says nothing where `maxWidth` is nil.
    public var maxHeight: Int?
    /// Items a second; nil wants each.
    public var maxRate: Double?
    /// Whether colour can be left out.
    public var lumaOnly: Bool
    /// JPEG quality, 1…100, where it must be encoded; nil leaves it to the encoder.
    public var quality: Int?
    /// Whether a JPEG is worth decoding and encoding again for the quality alone; otherwise it passes as it came.
    public var encodesAgain: Bool
    /// Whether packets are taken as they come, whatever is said of size and quality; these are for what has to be
    /// encoded.
    public var asItComes: Bool
    /// The input that is meant, of a sink that has several with `onDemand`; nil is the main one, which also stands in for
    /// one that the file does not connect.
    public var input: String?

    public init(
        _ format: Format? = nil, maxWidth: Int? = nil, maxHeight: Int? = nil, maxRate: Double? = nil,
        lumaOnly: Bool = false, quality: Int? = nil, encodesAgain: Bool = false, asItComes: Bool = false,
        input: String? = nil
    ) {
        self.format = format
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
        self.maxRate = maxRate
        self.lumaOnly = lumaOnly
        self.quality = quality
        self.encodesAgain = encodesAgain
        self.asItComes = asItComes
        self.input = input
    }

    /// As it comes, all of it.
    public static let all = Want()

    /// How many pixels across pictures of a size need, so that `maxHeight` is met too; nil needs all.
    public func columns(of size: Size?) -> Int? {
        guard let maxWidth, let maxHeight else { return maxWidth }
        guard let size, size.height > 0 else { return nil }
        return max(maxWidth, (maxHeight * size.width + size.height - 1) / size.height)
    }

    /// Rounded up to the steps that let equal wants share one chain: width 160, 320, 640, 960, 1280, 1920 or all; height
    /// 90, 180, 360, 540, 720, 1080 or all; rate 1, 2, 5, 10, 15, 25, 30 or all; quality to tens.
    public var rounded: Want {
        var want = self
        want.maxWidth = maxWidth.flatMap { width in [160, 320, 640, 960, 1280, 1920].first { $0 >= width } }
        want.maxHeight = maxHeight.flatMap { height in [90, 180, 360, 540, 720, 1080].first { $0 >= height } }
        if maxHeight != nil, want.maxHeight == nil { want.maxWidth = nil }
        if want.maxWidth == nil { want.maxHeight = nil }
        want.maxRate = maxRate.flatMap { rate in [1, 2, 5, 10, 15, 25, 30].first { $0 >= rate } }
        want.quality = quality.map { min(100, max(10, ($0 + 9) / 10 * 10)) }
        return want
    }
}

/// How a consumer says what it wants now; given to `open` as `context.demand`.
///
/// Each subscription is one want; an item made for it carries its id (`ItemStorage.subscription`). Any thread may call
/// it, with a lock held too: what is wished is noted, and fetched later. Only what differs in the end changes the graph,
/// and what was made for a subscription that ended is kept for 2 s, so a sink whose viewers come and go gives the same
/// wish the same id.
public struct Demand: Sendable {
    public typealias ID = UInt32
    private let change: @Sendable (ID, Want?) -> Void

    /// - Parameter change: Who is told; nil ends the subscription.
    public init(_ change: @escaping @Sendable (ID, Want?) -> Void) { self.change = change }

    /// Begins, changes or (with nil) ends a subscription.
    public func set(_ id: ID, _ want: Want?) { change(id, want) }
}
