extension Registry {
    /// The type of source that these options mean.
    ///
    /// A source has no input whose kind could pick among the types of one name, so its options do: the first whose
    /// `format`, as far as the options tell it, is of the kind of its main output. `test_pattern` makes frames, or with
    /// `kind: empty` packets.
    ///
    /// - Returns: nil when there is no source of this name.
    public func source(_ name: String, for options: Value.ValueMap) -> Registration? {
        let candidates = named(name, in: NodeDescriptor.Contract.source.section)
        guard candidates.count > 1 else { return candidates.first }
        return candidates.first { candidate in
            let format = candidate.inspect(options).format
            return format == nil || format?.kind == candidate.descriptor.outputs.first?.kind
        } ?? candidates.first
    }
}
