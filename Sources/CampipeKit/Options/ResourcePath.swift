/// The path of a file that a pipeline comes with, such as a logo. A relative one starts at the pipeline file's folder;
/// the file's check finds that it is not there. When the node gets it, it is one that the process can open.
public struct ResourcePath: Hashable, Sendable {
    public var text: String

    public init(_ text: String) { self.text = text }
}

extension ResourcePath: OptionValue {
    public static var optionType: OptionType { .resource }
    public static var optionPlaceholder: ResourcePath { ResourcePath("") }
    public var optionText: String? { text.optionText }

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> ResourcePath? {
        guard let text = String.read(value, at: path, into: &faults) else { return nil }
        guard !text.isEmpty else {
            faults.append(Fault(.invalidValue, at: path, "no file is named", fix: "write the path of a file"))
            return nil
        }
        return ResourcePath(text)
    }
}
