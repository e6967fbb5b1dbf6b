internal import CampipeKit
internal import Glibc

/// What a pipeline file may take from outside: variables of the environment, files that hold secrets.
package struct Surroundings: Sendable {
    /// The value of a variable; nil when it is not set.
    package var variable: @Sendable (String) -> String?
    /// The secret in a file, or in words why there is none.
    package var secret: @Sendable (_ path: String) -> Result<String, SecretProblem>

    package init(
        variable: @escaping @Sendable (String) -> String?,
        secret: @escaping @Sendable (_ path: String) -> Result<String, SecretProblem>
    ) {
        self.variable = variable
        self.secret = secret
    }

    /// The process's environment, and the files of the machine; secrets are found from `folder`.
    package static func process(folder: String) -> Surroundings {
        Surroundings(
            variable: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
            secret: { path in SecretFile.read(path.hasPrefix("/") ? path : "\(folder)/\(path)") })
    }
}

/// Why a secret could not be read: `no such file or directory`.
package struct SecretProblem: Error, Hashable {
    package var sentence: String
    package init(_ sentence: String) { self.sentence = sentence }
}

/// A file that holds one secret.
enum SecretFile {
    static let maximumBytes = 64 << 10

    /// The text of the file without line ends at its end. Never waits: a pipe or a device is refused.
    static func read(_ path: String) -> Result<String, SecretProblem> {
        do throws(FileProblem) {
            var bytes = try FileBytes.read(path, limit: maximumBytes, regularOnly: true)
            guard bytes.count <= maximumBytes else { return .failure(SecretProblem("it is larger than 64 KiB")) }
            while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            guard !bytes.contains(0), let secret = String(validating: bytes, as: UTF8.self) else {
                return .failure(SecretProblem("it is not UTF-8 text"))
            }
            return secret.isEmpty ? .failure(SecretProblem("it is empty")) : .success(secret)
        } catch {
            return .failure(SecretProblem(error.sentence))
        }
    }
}
