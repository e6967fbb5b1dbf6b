internal import CampipeKit
internal import Glibc

/// What a pipeline file may take from outside: variables of the environment, files that hold secrets, files that it comes
/// with.
package struct Surroundings: Sendable {
    /// The value of a variable; nil when it is not set.
    package var variable: @Sendable (String) -> String?
    /// The secret in a file, or in words why there is none.
    package var secret: @Sendable (_ path: String) -> Result<String, SecretProblem>
    /// Where a file lies that the pipeline comes with, as the process can open it, and in words why it cannot.
    package var resource: @Sendable (_ path: String) -> (path: String, problem: String?)

    package init(
        variable: @escaping @Sendable (String) -> String?,
        secret: @escaping @Sendable (_ path: String) -> Result<String, SecretProblem>,
        resource: @escaping @Sendable (_ path: String) -> (path: String, problem: String?) = { ($0, nil) }
    ) {
        self.variable = variable
        self.secret = secret
        self.resource = resource
    }

    /// The process's environment, and the files of the machine; secrets and other files are found from `folder`.
    package static func process(folder: String) -> Surroundings {
        Surroundings(
            variable: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
            secret: { path in SecretFile.read(path.hasPrefix("/") ? path : "\(folder)/\(path)") },
            resource: { path in
                let path = path.hasPrefix("/") || folder == "." ? path : "\(folder)/\(path)"
                do throws(FileProblem) {
                    // Only whether it can be read: what is in it is for the node to say.
                    _ = try FileBytes.read(path, limit: 0, regularOnly: true)
                    return (path, nil)
                } catch {
                    return (path, error.sentence)
                }
            })
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
