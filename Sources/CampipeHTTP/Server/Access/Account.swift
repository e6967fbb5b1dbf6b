package import CampipeKit

/// Somebody who may sign in.
package struct Account: Sendable, Hashable {
    /// What an account may do: look at its streams, or see all.
    package enum Role: Sendable, Hashable {
        /// May look at streams.
        case viewer
        /// May look at everything.
        case admin
    }

    package var name: String
    /// As `PasswordHash.make` gives it.
    package var passwordHash: Secret
    package var role: Role
    /// Of a viewer: the streams that he may see, with all below them; nil for every one that viewers may see.
    package var paths: [String]?

    package init(name: String, passwordHash: Secret, role: Role, paths: [String]? = nil) {
        self.name = name
        self.passwordHash = passwordHash
        self.role = role
        self.paths = paths
    }
}
