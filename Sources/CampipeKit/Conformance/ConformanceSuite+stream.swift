/// What is seen of the items that come out.
extension ConformanceSuite {
    func ordersTimes() -> Outcome {
        guard descriptor.contract != .sink else { return .skipped("a sink emits nothing") }
        return runsAnyhow { run, _ in run.disorder }
    }

    func emitsItsFormat() -> Outcome {
        guard descriptor.contract != .sink else { return .skipped("a sink emits nothing") }
        let promised = registration.inspect(options).format
        return runsAnyhow { run, input in
            for (index, port) in descriptor.outputs.enumerated() {
                var current: Format?
                for emission in run.emissions[index] {
                    switch emission {
                    case .format(let found):
                        current = found
                        guard port.formats.contains(where: { $0.accepts(found) }) else {
                            return
                                "output \"\(port.name)\" brings \(found), declared: \(port.formats.map(\.description))"
                        }
                        if index == 0, input == nil, let promised, !promised.accepts(found) {
                            return "it brings \(found), but says \(promised)"
                        }
                    case .item(let captured) where index == 0:
                        guard let current, let input, let variant = run.plan.variant(capturedAt: captured),
                            let expected = predicted(input, variant), !expected.accepts(current)
                        else { continue }
                        return "it brings \(current), but says \(expected)"
                    default: continue
                    }
                }
            }
            return nil
        }
    }

    /// What comes out where items of a format, in one of the sizes, come in.
    private func predicted(_ input: Format, _ variant: Int) -> Format? {
        let item = inputs.item(0, of: input, variant: variant, pool: FramePool())
        return item.flatMap { predicted($0.streamFormat) }
    }

    private func predicted(_ input: Format) -> Format? {
        guard let harness = try? NodeHarness(registration, options: options, services: services) else { return nil }
        return try? harness.output(for: input)
    }

    func repeatsItself() -> Outcome {
        guard descriptor.contract != .sink else { return .skipped("a sink emits nothing") }
        return runs { first, format in
            guard let second = ConformanceRun(self, .init(format: format)) else { return nil }
            if first.emissions != second.emissions { return "two runs emit at different times or differently many" }
            return first.contents == second.contents ? nil : "two runs emit different contents"
        }
    }

    func boundsRetention() -> Outcome {
        guard turnsItems else { return .skipped("only what turns items holds them") }
        return runs(.init(count: 60)) { run, _ in
            run.retained > run.holds + 2 ? "it keeps \(run.retained) inputs, holds is \(run.holds)" : nil
        }
    }

    func trailsItsWatermark() -> Outcome {
        guard turnsItems else { return .skipped("only what turns items has a watermark of its own") }
        return runsAnyhow { run, _ in
            for (index, port) in descriptor.outputs.enumerated() {
                var watermark = Instant.distantPast
                for emission in run.emissions[index] {
                    switch emission {
                    case .gap(let gap): watermark = max(watermark, gap.through)
                    case .item(let captured) where captured <= watermark:
                        let late = (watermark - captured).nanoseconds / 1_000_000
                        return "output \"\(port.name)\" brings an item \(late) ms below its watermark; "
                            + "holds is \(run.holds)"
                    default: break
                    }
                }
            }
            return nil
        }
    }

    func copiesNoPixel() -> Outcome {
        guard turnsItems, descriptor.mainInput?.kind == .frame, descriptor.outputs.first?.kind == .frame else {
            return .skipped("it does not turn frames into frames")
        }
        var inPlace = 0
        let outcome = runs { run, input in
            guard let input,
                run.emissions[0].contains(where: {
                    if case .format(let found) = $0 { input.accepts(found) } else { false }
                })
            else { return nil }
            inPlace += 1
            return run.copies > 0 ? "\(run.copies) copies of pixels in \(run.itemCount(0)) pictures" : nil
        }
        return outcome == .passed && inPlace == 0 ? .skipped("no output has the format of its input") : outcome
    }

    func takesGaps() -> Outcome {
        guard descriptor.contract != .source else { return .skipped("a source has no input") }
        for plan in [ConformanceRun.Plan(gapsBefore: Set(0...24)), .init(gapsBefore: [0]), .init(gapsBefore: [7])] {
            let outcome = runs(plan) { run, format in run.failure ?? missing(run, format, after: "gaps") }
            if outcome != .passed { return outcome }
        }
        return .passed
    }

    func survivesLoss() -> Outcome {
        guard descriptor.contract != .source else { return .skipped("a source has no input") }
        for place in [0, 1, 12] {
            let outcome = runs(.init(lostBefore: [place])) { run, format in
                run.failure ?? missing(run, format, after: "the camera was lost")
            }
            if outcome != .passed { return outcome }
        }
        return .passed
    }

    /// Who hands on each item of a whole stream hands on each of one that was disturbed.
    private func missing(_ run: ConformanceRun, _ format: Format?, after what: String) -> String? {
        guard turnsItems, let whole = ConformanceRun(self, .init(format: format, count: run.plan.count)),
            whole.itemCount(0) == run.plan.count
        else { return nil }
        let missing = whole.itemCount(0) - run.itemCount(0)
        return missing > run.holds ? "\(missing) items are missing after \(what)" : nil
    }

    func endsAnywhere() -> Outcome {
        for count in [1, 2, 7] {
            let outcome = runs(.init(count: count, drainsTwice: turnsItems)) { run, _ in
                if let failure = run.failure { return "after \(count) items: \(failure)" }
                return run.emittedByEmptyDrain > 0
                    ? "drained again after \(count) items, it emits \(run.emittedByEmptyDrain) more" : nil
            }
            if outcome != .passed { return outcome }
        }
        return .passed
    }

    func changesFormat() -> Outcome {
        guard let input = descriptor.mainInput else { return .skipped("a source has no input") }
        guard input.kind != .event, inputs.formats(of: input).contains(where: { inputs.canChange($0) }) else {
            return .skipped("its input has one format")
        }
        for places: Set<Int> in [[1], [1, 2, 7, 15], [11, 12, 13]] {
            let outcome = runs(.init(changesBefore: places)) { run, format in
                guard let format, inputs.canChange(format) else { return nil }
                return run.failure ?? missing(run, format, after: "the size changed")
            }
            if outcome != .passed { return outcome }
        }
        // What fails by itself is told by its own rule.
        guard takesGaps() == .passed, survivesLoss() == .passed else { return .passed }
        return runsDisturbed { run, _ in run.failure.map { "with gaps and losses in between: \($0)" } }
    }

    /// Runs an undisturbed stream, and many in which gaps, losses and changes of the size come at any moment.
    private func runsAnyhow(_ judge: (ConformanceRun, Format?) -> String?) -> Outcome {
        let outcome = runs(.init(), judge)
        return outcome == .passed ? runsDisturbed(judge) : outcome
    }

    private func runsDisturbed(_ judge: (ConformanceRun, Format?) -> String?) -> Outcome {
        guard descriptor.contract != .source else { return .passed }
        for seed in 1...8 as ClosedRange<UInt64> {
            let plan = ConformanceRun.Plan.disturbed(seed)
            let outcome = runs(plan) { run, format in
                judge(run, format).map {
                    "\($0); gaps come before the items \(plan.gapsBefore.sorted()), losses "
                        + "before \(plan.lostBefore.sorted()), other sizes before \(plan.changesBefore.sorted())"
                }
            }
            if outcome != .passed { return outcome }
        }
        return .passed
    }
}
