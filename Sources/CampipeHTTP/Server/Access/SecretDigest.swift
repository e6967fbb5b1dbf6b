import CSodium
package import CampipeKit

/// Random numbers that nobody guesses.
package enum RandomSecret {
    /// - Throws: `.failed` where the system gives none.
    package static func bytes(_ count: Int) throws(CampipeError) -> [UInt8] {
        try SodiumLibrary.start()
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// Random bytes as text, two letters each.
    package static func text(_ count: Int) throws(CampipeError) -> String {
        hexText(try bytes(count))
    }
}

/// A keyed hash of something secret, to find it again by: the secret itself is not kept, and how long a comparison
/// takes tells nothing of it.
struct SecretDigest: Hashable {
    private let bytes: [UInt8]

    /// BLAKE2b with a key of this process.
    init(_ secret: String, key: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: 32)
        let text = Array(secret.utf8)
        unsafe crypto_generichash(&digest, digest.count, text, UInt64(text.count), key, key.count)
        bytes = digest
    }
}
