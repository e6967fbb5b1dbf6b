/// What to write where `${` begins no variable as a pipeline file has it. Of what follows a name nothing is shown: a default
/// may be a password.
enum VariableFix {
    /// `write ${NAME}`, where a name follows; of a default nothing is shown, which may be a password.
    static func closing(_ rest: ArraySlice<UInt8>) -> String {
        let name = rest.dropFirst(2).prefix { Substitution.isLetter($0) || (48...57).contains($0) }
        let written = name.isEmpty ? "close it" : "write ${\(String(decoding: name, as: UTF8.self))}"
        return "\(written), or $${ for a literal ${"
    }

    /// What to write for a variable of a shell or of Docker: `${NAME-default}`, `${NAME:?message}`.
    static func form(_ name: String, behind: ArraySlice<UInt8>) -> String {
        var sign = behind
        if sign.first == UInt8(ascii: ":") { sign = sign.dropFirst() }
        if name.utf8.first.map(Substitution.isLetter) == true {
            switch sign.first {
            case UInt8(ascii: "-"), UInt8(ascii: "="): return "write ${\(name):-...}: a default stands behind :-"
            case UInt8(ascii: "?"): return "write ${\(name)}: that it must be set is so without a word"
            default: break
            }
        }
        return "write ${NAME} or ${NAME:-default}; $${ is a literal ${"
    }
}
