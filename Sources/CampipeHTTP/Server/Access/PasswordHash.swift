import CSodium
package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// Passwords as they are kept: argon2id of libsodium, with its salt and its cost in the text (`$argon2id$v=19$...`).
package enum PasswordHash {
    /// Hashes a password with a new salt: 64 MiB and some tens of milliseconds, as libsodium advises for logins.
    ///
    /// - Throws: `.exhausted` without the memory.
    package static func make(_ password: String) throws(CampipeError) -> String {
        try SodiumLibrary.start()
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_strbytes()))
        let length = UInt64(password.utf8.count)
        let code = unsafe crypto_pwhash_argon2id_str(
            &text, password, length, csodium_password_operations, csodium_password_memory)
        guard code == 0 else { throw CampipeError(.exhausted, "cannot hash a password: there is too little memory") }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a password is the one that was hashed. Takes as long and as much memory as the hash says.
    static func verify(_ password: String, against hash: String) -> Bool {
        guard (try? SodiumLibrary.start()) != nil, hash.utf8.count < Int(crypto_pwhash_argon2id_strbytes()) else {
            return false
        }
        return unsafe crypto_pwhash_argon2id_str_verify(hash, password, UInt64(password.utf8.count)) == 0
    }
}

/// libsodium, which must be started once before anything else of it is called.
enum SodiumLibrary {
    private static let code = sodium_init()

    /// - Throws: `.failed` where the system gives no random numbers.
    static func start() throws(CampipeError) {
        guard code >= 0 else { throw CampipeError(.failed, "the cryptographic library cannot start") }
    }
}
