internal import CampipeKit

/// What is known of a node once everything upstream of it is known.
struct NodeFacts {
    /// What each input is fed by, in the order of the draft's inputs.
    var inputs: [[OutputReference]] = []
    /// What each condition of `when` looks at; nil where it is faulty.
    var when: [OutputReference?] = []
    /// What the main input gets, as far as known.
    var inputFormat: Format?
    /// Whether any source upstream loses data when paused.
    var isLive = false
    /// What the main output carries, as far as known.
    var outputFormat: Format?
    /// Why it does nothing, where it does.
    var off: OffCause?
    /// What names the nodes that are off, where it is off because of them.
    var offPath: FaultPath?

    /// Works out what the main output carries from what the main input gets.
    mutating func findOutputFormat(of draft: NodeDraft, findings: inout Findings) {
        guard let registration = draft.registrations.first, let output = draft.outputs.first else { return }
        outputFormat = output.formats.first
        // What `privacy` covers does not come out as the node says.
        if let format = draft.inspection?.format, format.kind == output.kind { outputFormat = format }
        guard let inputFormat, draft.section == "transforms", !draft.hasFaultyOptions else { return }
        do {
            let format = try registration.make(draft.options).output(for: inputFormat)
            if format.kind == output.kind { outputFormat = format }
        } catch let error as CampipeError where error.kind == .configuration || error.kind == .unsupported {
            findings.report(
                .formatMismatch, at: draft.path.key("input"),
                "\(draft.id) cannot work with \(inputFormat): \(error.message)",
                fix: error.fix ?? "take it from a node that gives what is taken here")
        } catch {
            // What is not about the format is for the node to say when it runs.
        }
    }
}
