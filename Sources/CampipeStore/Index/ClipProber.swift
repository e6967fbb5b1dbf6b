package import CampipeKit

/// Finds out what a file itself says of its time, where no list does. The Store knows no containers.
package protocol ClipProber {
    /// When a recording was begun and how long it is, as far as the file says; nil for what is no recording.
    func probe(_ path: String) -> (start: WallTime?, length: Duration?)?
}
