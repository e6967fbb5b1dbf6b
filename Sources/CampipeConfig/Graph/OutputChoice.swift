internal import CampipeKit

/// Which output of a node a reference means.
enum OutputChoice {
    case found(PortDescriptor, Format?)
    /// The node's type is not known, so neither are its outputs.
    case unknown(String)
    case fault(Problem)

    struct Problem {
        var code: FaultCode
        var sentence: String
        var fix: String

        func report(at path: FaultPath, related: FaultPath, _ findings: inout Findings) {
            findings.report(code, at: path, sentence, fix: fix, related: related)
        }
    }

    /// - Parameters:
    ///   - port: The output's name, where the reference has one.
    ///   - wanted: What the input takes; several where the consumer's type works on several kinds of item.
    ///   - impliesAlarms: Whether the id alone means what befalls the node, where it has no other events.
    static func find(
        _ port: String?, of node: NodeDraft, _ facts: NodeFacts, wanted: [PortDescriptor],
        impliesAlarms: Bool = false, registry: Registry
    ) -> OutputChoice {
        guard node.isKnown, !wanted.isEmpty else { return .unknown(port ?? "out") }
        let search = OutputSearch(
            node: node.id, outputs: node.outputs,
            implied: impliesAlarms && !node.impliedOutputs.contains { $0.kind == .event }
                ? node.outputs.filter { !$0.isByName } : node.impliedOutputs,
            mainFormat: facts.outputFormat,
            wanted: wanted, options: node.registrations.first?.descriptor.options ?? [], registry: registry)
        return port.map(search.named) ?? search.only()
    }
}

/// The outputs of one node, looked at by one input.
private struct OutputSearch {
    let node: String
    let outputs: [PortDescriptor]
    /// Those that may be meant without a name.
    let implied: [PortDescriptor]
    /// What the main output carries, as far as known.
    let mainFormat: Format?
    let wanted: [PortDescriptor]
    /// The options of the node's type.
    let options: [OptionSchema]
    let registry: Registry

    /// How well an output fits.
    private enum Fit {
        case exact
        /// A decoder or an encoder is put in between.
        case converted
        /// The right kind, in a format that is not accepted.
        case mismatch
        case none
    }

    func named(_ name: String) -> OutputChoice {
        guard let output = outputs.first(where: { $0.name == name }) else {
            // A kind of event is most likely meant as all that comes where it comes.
            let teller = outputs.first { $0.tells?.contains(EventKind(rawValue: name)) == true }
            return .fault(
                OutputChoice.Problem(
                    code: .unknownInput, sentence: "\(node) has no output \"\(name.prefix(80))\"",
                    fix: teller.map { "write \(node).\($0.name), which tells it" }
                        ?? Nearest.fix(name, in: outputs.map(\.name))))
        }
        return judged(output)
    }

    func only() -> OutputChoice {
        let candidates = implied.filter { isAudio(format(of: $0)) == wanted.allSatisfy(wantsAudio) }
        let kinds = wanted.map(\.kind)
        var fitting = candidates.filter { kinds.contains($0.kind) }
        if fitting.isEmpty { fitting = candidates.filter { fit($0) == .converted } }
        guard let first = fitting.first else { return .fault(wrongKind(outputs.first)) }
        if fitting.count == 1 { return judged(first) }
        // The main output is the one called `out`.
        if let main = fitting.first(where: { $0.name == "out" }) { return judged(main) }
        let names = fitting.map { "\(node).\($0.name)" }
        return .fault(
            OutputChoice.Problem(
                code: .ambiguousOutput,
                sentence: "\(node) gives "
                    + WordList.and(fitting.map { "\($0.kind.plural) on \(node).\($0.name)" }),
                fix: "write \(names.joined(separator: " or "))"))
    }

    private func isAudio(_ format: Format?) -> Bool {
        if case .packets(let packets) = format { packets.isAudio } else { false }
    }

    private func wantsAudio(_ input: PortDescriptor) -> Bool {
        !input.formats.isEmpty && input.formats.allSatisfy(isAudio)
    }

    private func judged(_ output: PortDescriptor) -> OutputChoice {
        let format = format(of: output)
        switch fit(output) {
        case .exact: return .found(output, format)
        case .converted: return .found(output, wanted.first { $0.kind != output.kind }?.kind.anyFormat)
        case .mismatch: return .fault(mismatch(output, format))
        case .none: return .fault(wrongKind(output))
        }
    }

    private func format(of output: PortDescriptor) -> Format? {
        output.name == outputs.first?.name ? mainFormat ?? output.formats.first : output.formats.first
    }

    private func fit(_ output: PortDescriptor) -> Fit {
        let format = format(of: output) ?? output.kind.anyFormat
        var best = Fit.none
        for input in wanted {
            if input.kind == output.kind {
                let isAccepted = input.formats.contains { $0.accepts(format) }
                let canConvert = input.kind == .frame && registry.converter(.convert) != nil
                if isAccepted || canConvert || canRecode(format, for: input) { return .exact }
                if best == .none { best = .mismatch }
            } else if canBridge(from: output.kind, format, to: input.kind) {
                best = .converted
            }
        }
        return best
    }

    /// Whether pictures of a coding that is not taken are decoded and encoded on their way: to who would rather have all
    /// than the camera's own, as whoever publishes.
    private func canRecode(_ format: Format, for input: PortDescriptor) -> Bool {
        guard input.kind == .packet, input.taste == .complete, case .packets(let packets) = format,
            let coding = packets.coding, let decoder = registry.converter(.decode)?.descriptor.mainInput
        else { return false }
        return !coding.isAudio && coding != .empty && decoder.formats.contains { $0.accepts(format) }
            && canBridge(from: .frame, format, to: .packet)
    }

    private func canBridge(from: ItemKind, _ format: Format, to: ItemKind) -> Bool {
        switch (from, to) {
        case (.packet, .frame):
            if case .packets(let packets) = format, packets.isAudio || packets.coding == .empty {
                return false
            }
            return registry.converter(.decode) != nil
        case (.frame, .packet): return registry.converter(.encode) != nil
        default: return false
        }
    }

    private func wrongKind(_ output: PortDescriptor?) -> OutputChoice.Problem {
        let taken = Self.kinds(wanted)
        guard let output else {
            return OutputChoice.Problem(
                code: .wrongKindOfItem, sentence: "\(node) gives nothing, and \(taken) are due here",
                fix: "name a node that gives \(taken)")
        }
        let others = implied.filter { fit($0) == .exact || fit($0) == .converted }.map { "\(node).\($0.name)" }
        let given = others.isEmpty ? Self.kinds(implied) : output.kind.plural
        return OutputChoice.Problem(
            code: .wrongKindOfItem, sentence: "\(node) gives \(given), and \(taken) are due here",
            fix: others.isEmpty ? "name a node that gives \(taken)" : "write \(others.joined(separator: " or "))")
    }

    /// `packets or frames`, each once.
    private static func kinds(_ ports: [PortDescriptor]) -> String {
        ItemKind.allCases.filter { kind in ports.contains { $0.kind == kind } }.map(\.plural).joined(separator: " or ")
    }

    private func mismatch(_ output: PortDescriptor, _ format: Format?) -> OutputChoice.Problem {
        let accepted = wanted.filter { $0.kind == output.kind }.flatMap(\.formats).map(\.description).joined(
            separator: " or ")
        var fix = "name a node that gives \(accepted)"
        if case .packets(let packets) = format, packets.coding == .empty || packets.coding?.isAudio == true {
            // No decoder makes pictures of these.
            let makesPictures = self.options.contains { option in
                guard option.key == "kind", case .choice(let words) = option.type else { return false }
                return words.contains("picture")
            }
            if makesPictures { fix = "write kind: picture on \(node)" }
        } else if output.kind == .packet, let decode = registry.converter(.decode)?.descriptor.name {
            fix =
                "add under transforms: \(node)_frames: {type: \(decode), input: \(node)}, and take \(node)_frames here"
        } else if output.kind == .frame {
            fix = "add a transform that gives \(accepted), and take it here"
        }
        return OutputChoice.Problem(
            code: .formatMismatch,
            sentence:
                "\(node).\(output.name) gives \(format?.description ?? output.kind.plural), "
                + "and \(accepted) is due here",
            fix: fix)
    }
}
