import CampipeKit

/// Decides which converters stand between an output and a consumer, one after the other.
///
/// Ask `next` with what the output carries; while it says `insert`, ask again with what the converter gives. At most
/// one decode, one convert and one encode come of it, so it ends.
struct ImplicitChain: Sendable {
    enum Step: Hashable, Sendable {
        /// What there is can be handed over.
        case done
        case insert(ConverterRole, ConverterRequest)
        /// No converter leads to what the consumer takes; with the role that would help, if one is missing.
        case mismatch(missing: ConverterRole?)
    }

    private let accepts: [Format]
    private let kind: ItemKind
    private let want: Want
    private let registry: Registry
    /// Whether packets may be decoded and encoded again only for their size.
    private let mayEncodeAgain: Bool
    /// Whether the consumer must see the pictures before they are scaled, but while they are decoded.
    private let isMask: Bool
    private let taste: Taste
    private var inserted: Set<ConverterRole> = []
    private var isScaled = false

    /// - Parameters:
    ///   - input: The consumer's input.
    ///   - want: What it asks for, rounded.
    ///   - registry: Where the converters are found by role.
    ///   - isEncodedExplicitly: The output is one of an encoder that the user wrote: nothing is encoded again after it.
    ///   - isMask: The consumer covers parts of the pictures: nothing that is covered may be mixed into what is beside
    ///     it. A decoder that reduces mixes within its blocks only, which a mask makes up for; one that scales does not.
    init(to input: PortDescriptor, want: Want, registry: Registry, isEncodedExplicitly: Bool, isMask: Bool = false) {
        kind = input.kind
        taste = input.taste
        self.isMask = isMask
        let wanted = want.format.map { wanted in input.formats.contains { $0.accepts(wanted) } ? [wanted] : [] } ?? []
        accepts = wanted.isEmpty ? input.formats : wanted
        self.want = want
        self.registry = registry
        mayEncodeAgain = !isEncodedExplicitly
    }

    /// What is to be done with items of this format.
    mutating func next(_ format: Format) -> Step {
        switch format {
        case .events: isAccepted(format) ? .done : .mismatch(missing: nil)
        case .packets(let packets): next(packets)
        case .frames(let frames): next(frames)
        }
    }

    private mutating func next(_ packets: PacketFormat) -> Step {
        if kind == .packet, isAccepted(.packets(packets)), !isWorthEncodingAgain(packets) { return .done }
        guard kind != .event, !packets.isAudio, packets.coding != .empty, inserted.isEmpty
        else { return .mismatch(missing: nil) }
        guard let decoder = registry.converter(.decode) else { return .mismatch(missing: .decode) }
        guard takes(decoder, .packets(packets)) else { return .mismatch(missing: nil) }
        if kind == .packet, !canEncode {
            return .mismatch(missing: registry.converter(.encode) == nil ? .encode : nil)
        }
        inserted.insert(.decode)
        guard packets.isIntraCoded else { return .insert(.decode, ConverterRequest()) }
        var request = ConverterRequest(lumaOnly: needsLumaOnly)
        if let width = want.columns(of: packets.size), packets.size.map({ $0.width > width }) ?? true {
            request.maxWidth = width
        }
        isScaled = request.maxWidth != nil
        return .insert(.decode, request)
    }

    private mutating func next(_ frames: FrameFormat) -> Step {
        guard kind != .event else { return .mismatch(missing: nil) }
        if kind == .packet, !canEncode {
            return .mismatch(missing: registry.converter(.encode) == nil ? .encode : nil)
        }
        let isFit = goal.contains { $0.accepts(.frames(frames)) }
        var request = ConverterRequest()
        if !isScaled, !isMask, let size = frames.size, let width = want.columns(of: size), size.width > width {
            request.maxWidth = width
        }
        if !isFit { request.format = goal.first { $0.kind == .frame } }
        if request != ConverterRequest(), inserted.insert(.convert).inserted {
            if registry.converter(.convert) != nil {
                if isFit, needsLumaOnly { request.lumaOnly = true }
                return .insert(.convert, request)
            }
            if !isFit { return .mismatch(missing: .convert) }
        }
        guard isFit else { return .mismatch(missing: nil) }
        if kind == .frame { return .done }
        guard inserted.insert(.encode).inserted, let encode = encodeRequest(frames) else {
            return .mismatch(missing: nil)
        }
        return .insert(.encode, encode)
    }

    /// What the encoder is asked for: H.264 for a consumer that keeps all, as it takes the least room, if he takes it;
    /// else what the encoder gives by itself, and else the first that he takes.
    private func encodeRequest(_ frames: FrameFormat) -> ConverterRequest? {
        guard let encoder = registry.converter(.encode) else { return nil }
        let taken = accepts.compactMap { format -> Coding? in
            if case .packets(let packets) = format { packets.coding } else { nil }
        }
        let codings: [Coding?] = (taste == .complete && taken.contains(.h264) ? [.h264] : []) + [nil] + taken
        return codings.lazy.map { coding in
            ConverterRequest(quality: want.quality, format: coding.map { .packets(PacketFormat($0)) })
        }.first { request in
            // One that does not know the coding gives what it gives by itself.
            guard case .packets(let made)? = try? encoder.make(request.options).output(for: .frames(frames)),
                isAccepted(.packets(made))
            else { return false }
            if case .packets(let asked)? = request.format { return made.coding == asked.coding }
            return true
        }
    }

    /// What the last frames of the chain must be: for the consumer, or for the encoder in front of it.
    private var goal: [Format] {
        kind == .frame ? accepts : registry.converter(.encode)?.descriptor.mainInput?.formats ?? []
    }

    /// Whether grey is asked for, or is all that is taken.
    private var needsLumaOnly: Bool {
        let frames = goal.compactMap { format -> FrameFormat? in if case .frames(let f) = format { f } else { nil } }
        return frames.contains { ($0.pixel ?? .gray8) == .gray8 }
            && (want.lumaOnly || frames.allSatisfy { $0.pixel == .gray8 })
    }

    private var canEncode: Bool {
        registry.converter(.encode)?.descriptor.outputs.first?.formats.contains(where: isAccepted) ?? false
    }

    /// Each packet of a JPEG stream can be made smaller, or coarser where that is asked for; of an inter-coded one a
    /// viewer takes what there is.
    private func isWorthEncodingAgain(_ packets: PacketFormat) -> Bool {
        guard mayEncodeAgain, !want.asItComes, inserted.isEmpty, packets.coding == .jpeg, canEncode,
            let decoder = registry.converter(.decode), takes(decoder, .packets(packets))
        else { return false }
        if want.encodesAgain, want.quality != nil { return true }
        guard let size = packets.size, let width = want.columns(of: size) else { return false }
        return size.width > width
    }

    private func isAccepted(_ format: Format) -> Bool { accepts.contains { $0.accepts(format) } }

    private func takes(_ converter: Registration, _ format: Format) -> Bool {
        converter.descriptor.mainInput?.formats.contains { $0.accepts(format) } ?? false
    }
}
