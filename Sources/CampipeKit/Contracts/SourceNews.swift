/// How a source gave items of late, whoever takes them, for who shows them and is not given each.
package struct SourceNews: Hashable, Sendable {
    /// When the newest came; nil before the first.
    package var newest: Instant?
    /// How far apart they usually are; nil where that is not known.
    package var interval: Duration?

    package init(newest: Instant? = nil, interval: Duration? = nil) {
        self.newest = newest
        self.interval = interval
    }
}
