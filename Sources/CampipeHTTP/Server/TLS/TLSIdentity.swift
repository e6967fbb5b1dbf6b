import CampipeKit

/// The certificate that a server shows, read again when one of its files has changed. On the server's thread only.
///
/// A pair that cannot be used leaves the old one in force, and is said once.
final class TLSIdentity {
    /// How often the files are looked at, at most; when somebody connects.
    static let interval = Duration.seconds(5)
    /// How long before its end a certificate is warned about.
    private static let warning = Duration.seconds(14 * 86_400)

    private let files: TLSFiles
    private let log: Log
    private(set) var context: TLSContext
    private var marks: [FileMark?]
    private var nextLook: Instant

    /// - Throws: As `TLSContext.init`.
    init(_ files: TLSFiles, clock: any PipelineClock, log: Log) throws(CampipeError) {
        self.files = files
        self.log = log
        marks = Self.marks(of: files)
        context = try TLSContext(files)
        nextLook = clock.now + Self.interval
        warnOfExpiry(clock)
    }

    /// Looks at the files if it is time to.
    func refresh(_ clock: any PipelineClock) {
        let now = clock.now
        guard now >= nextLook else { return }
        nextLook = now + Self.interval
        let marks = Self.marks(of: files)
        guard marks != self.marks else { return }
        self.marks = marks
        do throws(CampipeError) {
            context = try TLSContext(files)
            log.info("the new certificate is in force", ["certificate": files.certificate])
            warnOfExpiry(clock)
        } catch {
            log.warning("the new certificate cannot be used, the old one stays in force", ["cause": error])
        }
    }

    private func warnOfExpiry(_ clock: any PipelineClock) {
        guard let expiry = context.expiry, expiry - clock.wallTime < Self.warning else { return }
        let isOver = expiry < clock.wallTime
        log.warning(
            isOver ? "the certificate is out of date" : "the certificate will soon be out of date",
            ["certificate": files.certificate, "until": expiry.iso8601])
    }

    private static func marks(of files: TLSFiles) -> [FileMark?] {
        [files.certificate, files.key].map { FileMark($0) }
    }
}
