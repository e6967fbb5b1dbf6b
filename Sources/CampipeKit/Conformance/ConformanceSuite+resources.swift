/// What is seen of what the node acquires, says and leaves behind.
extension ConformanceSuite {
    func finishesWhatItOpened() -> Outcome {
        func cycle() -> String? {
            do {
                let harness = try NodeHarness(registration, options: options, services: services)
                do { try harness.end() } catch { return "finish without an item: \(error)" }
                return harness.pool.usedBytes > 0 ? "it keeps pictures after finish" : nil
            } catch {
                return "it does not open: \(error)"
            }
        }
        if let wrong = cycle() { return .failed(wrong) }
        let isMadeClean = !leaksDescriptors { _ = registration.make(options) }
        if isMadeClean, leaksDescriptors({ _ = cycle() }) { return .failed("files stay open after finish") }
        return .passed
    }

    func stopsInTime() -> Outcome {
        for count in [0, 24] {
            let outcome = runs(.init(count: count)) { run, _ in
                run.stopping > deadline
                    ? "stopping after \(count) items takes \(run.stopping), allowed: \(deadline)" : nil
            }
            if outcome != .passed { return outcome }
        }
        return .passed
    }

    /// - Parameter seen: How many items the node was given or made.
    func leaksNothing(seen: inout Int) -> Outcome {
        var isFirst = true
        // The other formats by the way: what it keeps is seldom a matter of the format.
        return runs(.init(count: longRun, isLong: true), others: longRun / 20) { run, _ in
            if isFirst { seen = run.seen }
            isFirst = false
            if turnsItems, let failure = run.failure { return failure }
            if run.leftItems > 0 { return "\(run.leftItems) items are left of \(run.seen)" }
            if run.leftBytes > 0 { return "\(run.leftBytes) bytes of pictures are left" }
            let growth = run.retainedByHalf[1] - run.retainedByHalf[0]
            return descriptor.contract == .sink && growth > 64 ? "it keeps \(growth) inputs more and more" : nil
        }
    }

    func keepsSecrets() -> Outcome {
        var planted = options
        var isPlanted = "\(options)".contains(secret)
        for option in descriptor.options {
            switch option.type {
            case .secret: planted[option.key] = .scalar(.init(secret, isQuoted: true, isSecret: true))
            case .list(.secret): planted[option.key] = .list([.scalar(.init(secret, isQuoted: true, isSecret: true))])
            default: continue
            }
            isPlanted = true
        }
        guard isPlanted else { return .skipped("it has no secret option") }
        let faults = registration.inspect(planted).faults
        if faults.contains(where: { shows($0.sentence) || shows($0.fix) }) { return .failed("a fault shows it") }
        let outcome = runs(options: faults.isEmpty ? planted : options) { run, _ in
            if let failure = run.failure, shows(failure) { return "an error shows it" }
            for entry in run.logged where shows(entry.message) || entry.facts.contains(where: { shows($0.value) }) {
                return "the log shows it at \"\(shows(entry.message) ? "…" : entry.message)\""
            }
            return run.eventTexts.contains(where: shows) ? "an event shows it" : nil
        }
        return outcome
    }

    private func shows(_ text: String) -> Bool { text.contains(secret) }
}

extension ConformanceInputs {
    /// Whether the format leaves its size open.
    func canChange(_ format: Format) -> Bool {
        switch format {
        case .frames(let frames): frames.size == nil
        case .packets(let packets): packets.size == nil && packets.coding != .empty
        case .events: false
        }
    }
}
