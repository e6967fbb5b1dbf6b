/// Options that several types of node declare by holding a struct of them: each is an option of the node itself, under its
/// own name and beside the others. A struct of `@Option` properties without the wrapper around it:
///
///     struct Account: SharedOptions {
///         @Option("The user's name.") var username: Secret? = nil
///     }
///     struct Camera: Source {
///         var account = Account()
///     }
package protocol SharedOptions: Sendable {}
