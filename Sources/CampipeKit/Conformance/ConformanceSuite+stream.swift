/// What is seen of the items that come out.
extension ConformanceSuite {
    func ordersTimes() -> Outcome {
        guard descriptor.contract != .sink else { return .skipped("a sink emits nothing") }
        return runs { run, _ in run.disorder }
    }

    func emitsItsFormat() -> Outcome {
        guard descriptor.contract != .sink else { return .skipped("a sink emits nothing") }
        let promised = registration.inspect(options).format
        return runs { run, input in
            for (index, port) in descriptor.outputs.enumerated() {
                for case .format(let found) in run.emissions[index] {
                    guard port.formats.contains(where: { $0.accepts(found) }) else {
                        return "output \"\(port.name)\" brings \(found), declared: \(port.formats.map(\.description))"
                    }
                    guard index == 0 else { continue }
                    var expected = promised
                    if let input {
                        let item = inputs.item(0, of: input, variant: 0, pool: FramePool())
                        expected = item.flatMap { predicted($0.streamFormat) }
                    }
                    if let expected, !expected.accepts(found) { return "it brings \(found), but says \(expected)" }
                }
            }
            return nil
        }
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
        return runs { run, _ in
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
        return runs(.init(hasGaps: true)) { run, _ in run.failure }
    }

    func survivesLoss() -> Outcome {
        guard descriptor.contract != .source else { return .skipped("a source has no input") }
        for place in [0, 1, 12] {
            let outcome = runs(.init(lostBefore: place)) { run, format in
                if let failure = run.failure { return failure }
                // Who hands on each item of a whole stream hands on each after the loss too.
                guard turnsItems, let whole = ConformanceRun(self, .init(format: format)), whole.itemCount(0) == 24
                else {
                    return nil
                }
                let missing = whole.itemCount(0) - run.itemCount(0)
                return missing > run.holds ? "\(missing) items are missing after the camera was lost" : nil
            }
            if outcome != .passed { return outcome }
        }
        return .passed
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
        return runs(.init(changesBefore: [1, 2, 7, 15])) { run, format in
            guard let format, inputs.canChange(format) else { return nil }
            return run.failure
        }
    }
}
