/// One place where a variable of the environment was put in.
struct VariableUse {
    var name: String
    var value: String
    /// The value in the file.
    var mark: Mark
    /// What came of that.
    var text = ""
}
