/// Decides which pictures belong to the one before them: further views, or a preview, that a camera puts behind its
/// picture in the same part. They are no pictures of the stream's own. A value.
///
/// Two signs count: the first picture's MP index, which says how many follow (`MultiPictureIndex`); and a declared
/// length of the part that ends exactly where the second picture does. Of JPEGs back to back without such a sign each is
/// one of the stream.
struct FollowingPictures: Sendable {
    /// How many more the index announced.
    private var announced = 0
    /// What has not come of the part's declared length; nil without one.
    private var left: Int?

    /// A picture ended.
    ///
    /// - Parameters:
    ///   - size: Its bytes.
    ///   - inFile: What its own index says; nil where it has none.
    ///   - length: The declared length of its part, if its part has just begun.
    /// - Returns: Whether it belongs to the one before.
    mutating func ended(size: Int, inFile: Int?, length: Int?) -> Bool {
        if inFile == nil, length == nil {
            if announced > 0 {
                announced -= 1
                left = left.map { $0 - size }
                return true
            }
            if left == size {
                left = nil
                return true
            }
        }
        announced = max(0, (inFile ?? 1) - 1)
        left = length.map { $0 - size }
        return false
    }

    /// Bytes that belong to no picture came.
    mutating func skipped(_ count: Int) { left = left.map { $0 - count } }

    /// A new part begins.
    mutating func partBegan() { self = FollowingPictures() }
}
