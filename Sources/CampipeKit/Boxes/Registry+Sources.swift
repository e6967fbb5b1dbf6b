extension Registry {
    /// The type of source that these options mean.
    ///
    /// A source has no input whose kind could pick among the types of one name, so its options do: the first that says
    /// so itself (`NodeInspection.applies`).
    ///
    /// - Returns: nil when there is no source of this name.
    public func source(_ name: String, for options: Value.ValueMap) -> Registration? {
        let candidates = named(name, in: NodeDescriptor.Contract.source.section)
        guard candidates.count > 1 else { return candidates.first }
        // A fault in one option does not change which is meant.
        let sound = Value.ValueMap(
            options.entries.filter { entry in
                !candidates[0].inspect(Value.ValueMap([entry])).faults.contains {
                    $0.severity == .error && $0.path.steps.first == .key(entry.key)
                }
            })
        return candidates.first { $0.inspect(sound).applies } ?? candidates.first
    }
}
