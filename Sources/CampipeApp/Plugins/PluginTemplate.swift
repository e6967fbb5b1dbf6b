/// The files of a new plugin in Swift.
struct PluginTemplate {
    let kind: PluginKind
    /// The module and the struct: `NightFilter`.
    let module: String
    /// The type in a pipeline file: `night_filter`.
    let type: String

    init(_ kind: PluginKind, name: String) {
        self.kind = kind
        module = PluginNames.camel(name)
        type = PluginNames.snake(name)
    }

    /// The texts by their places in the folder.
    var files: [(place: String, text: String)] {
        [
            ("Sources/\(module)/\(module).swift", source), ("Tests/\(module)Tests.swift", test),
            ("pipeline.yaml", pipeline), ("README.md", readme), (".gitignore", "build/\n"),
        ]
    }

    private var source: String {
        switch kind {
        case .source: sourceNode
        case .transform: transformNode
        case .join: joinNode
        case .sink: sinkNode
        }
    }

    private var test: String {
        switch kind {
        case .source: sourceTest
        case .transform: transformTest
        case .join: joinTest
        case .sink: sinkTest
        }
    }

    // MARK: - transform

    private var transformNode: String {
        """
        import CampipeKit

        /// Makes pictures darker.
        struct \(module): Transform {
            static let name = "\(type)"
            static let summary = "Makes pictures darker."
            static let accepts: [Format] = [.frames(.gray8), .frames(.yuv420)]

            @Option(0...100, "By how much, in percent.") var amount = 50

            mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
                frame.mapLuma { UInt8(Int($0) * (100 - amount) / 100) }
                output.emit(frame)
            }
        }

        """
    }

    private var transformTest: String {
        """
        import CampipeKit
        import Testing

        @Test("a picture of level 100 comes out at 25, where 75 percent are taken away")
        func darker() throws {
            let harness = try NodeHarness(\(module).self, options: ["amount": "75"])
            try harness.push(Frame.flat(100))
            try harness.end()
            #expect(harness.frames.map { $0.level() } == [25])
        }

        """
    }

    // MARK: - source

    private var sourceNode: String {
        """
        import CampipeKit

        /// Gives dark pictures over which a bright bar goes.
        struct \(module): Source {
            static let name = "\(type)"
            static let summary = "Gives dark pictures over which a bright bar goes."
            static let outputs: [any AnyPort] = [Out<Frame>("out")]

            @Option(16...1920, "Pixels across.") var width = 320
            @Option(16...1080, "Pixels down.") var height = 240
            @Option(0.1...60, "Pictures a second.") var fps = 10.0

            private var clock: (any PipelineClock)?
            private var pool = FramePool.shared
            private var start = Instant.zero
            private var number = 0

            var format: Format? { .frames(FrameFormat(.gray8, size: Size(width, height), rate: fps)) }

            mutating func open(_ context: borrowing Context) throws {
                clock = context.clock
                pool = context.pool
                start = context.clock.now
            }

            /// Called when there is room: gives the picture that is due, or says when one will be.
            mutating func next(to output: inout Output) throws -> Next {
                guard let clock else { return .ended }
                let due = start + .seconds(Double(number) / fps)
                if clock.now < due {
                    output.rest(until: due)
                    return .waitUntil(due)
                }
                let picture = try pool.picture(.gray8, Size(width, height))
                let bar = number * 4 % width
                picture.withMutablePlane(0) { first, plane in
                    first.update(repeating: 40, count: plane.stride * plane.height)
                    for y in 0..<plane.height {
                        for x in bar..<min(bar + 8, width) { first[y * plane.stride + x] = 220 }
                    }
                }
                output.emit(Frame(picture, rate: fps, captured: due, pts: MediaTime(due - start)))
                number += 1
                return .more
            }
        }

        """
    }

    private var sourceTest: String {
        """
        import CampipeKit
        import Testing

        @Test("ten pictures a second come when they are due")
        func paced() throws {
            let harness = try NodeHarness(\(module).self, options: ["fps": "10"], isLive: true)
            try harness.run(until: harness.clock.now + .milliseconds(450))
            #expect(harness.frames.map(\\.pts.duration) == (0...4).map { .milliseconds($0 * 100) })
            #expect(harness.rest == .milliseconds(50))
        }

        """
    }

    // MARK: - sink

    private var sinkNode: String {
        """
        import CampipeKit

        /// Says in the log when it gets dark, and when it is light again.
        struct \(module): Sink {
            static let name = "\(type)"
            static let summary = "Says in the log when it gets dark, and when it is light again."
            static let inputs: [any AnyPort] = [In<Frame>("input", accepts: [.frames(.gray8)])]

            @Option(0...255, "The mean level below which it is dark.") var level = 50

            private var log = Log.silent
            private var wasDark: Bool?

            mutating func open(_ context: borrowing Context) throws { log = context.log }

            mutating func consume(_ frame: consuming Frame) throws -> Next {
                let sum = frame.withPlane(0) { first, plane in
                    var sum = 0
                    for y in 0..<plane.height {
                        for x in 0..<plane.width { sum += Int(first[y * plane.stride + x]) }
                    }
                    return sum
                }
                let mean = sum / frame.size.pixels
                let isDark = mean < level
                if isDark != wasDark { log.info(isDark ? "it is dark" : "it is light", ["level": mean]) }
                wasDark = isDark
                return .more
            }
        }

        """
    }

    private var sinkTest: String {
        """
        import CampipeKit
        import Testing

        @Test("it says once that it gets dark")
        func dark() throws {
            let harness = try NodeHarness(\(module).self, options: ["level": "50"])
            for (second, level) in [UInt8(100), 100, 20, 20].enumerated() {
                try harness.push(Frame.flat(level, at: .seconds(second)))
            }
            try harness.end()
            #expect(harness.logged.map(\\.message) == ["it is light", "it is dark"])
        }

        """
    }

    // MARK: - join

    private var joinNode: String {
        """
        import CampipeKit

        /// Makes pictures brighter while something goes on.
        struct \(module): Join {
            static let name = "\(type)"
            static let summary = "Makes pictures brighter while something goes on."
            static let events = In<Event>("events", many: true)
            static let inputs: [any AnyPort] = [In<Frame>("input", accepts: [.frames(.gray8), .frames(.yuv420)]), events]

            @Option(0...255, "By how much, in luma levels.") var amount = 60

            private var going: Set<String> = []

            /// Called with each picture, and with the events that came since the one before.
            mutating func process(_ frame: consuming Frame, with sides: borrowing Sides, to output: inout Output) throws {
                for event in sides.events(Self.events) {
                    if event.phase == .began { going.insert(event.id) } else { going.remove(event.id) }
                }
                if !going.isEmpty { frame.mapLuma { UInt8(min(Int($0) + amount, 255)) } }
                output.emit(frame)
            }
        }

        """
    }

    private var joinTest: String {
        """
        import CampipeKit
        import Testing

        @Test("pictures are brighter from the beginning of an event to its end")
        func brighter() throws {
            func event(_ phase: Event.Phase) -> Event {
                Event("motion", id: "1", phase: phase, captured: .zero, node: "watch")
            }
            let harness = try NodeHarness(\(module).self, options: ["amount": "50"])
            try harness.push(Frame.flat(100))
            try harness.push(Frame.flat(100, at: .seconds(1)), sides: ["events": [event(.began)]])
            try harness.push(Frame.flat(100, at: .seconds(2)), sides: ["events": [event(.ended)]])
            try harness.end()
            #expect(harness.frames.map { $0.level() } == [100, 150, 100])
        }

        """
    }

    // MARK: - The rest

    private var pipeline: String {
        let nodes =
            switch kind {
            case .source:
                """
                sources:
                  \(type): {type: \(type)}

                sinks:
                  web: {type: http, input: \(type), path: /\(type)}
                """
            case .join:
                """
                sources:
                  porch: {type: camera, url: "demo://porch"}

                transforms:
                  watch: {type: motion, input: porch}
                  \(type): {type: \(type), input: porch, events: [watch]}

                sinks:
                  web: {type: http, input: \(type), path: /\(type)}
                """
            case .transform:
                """
                sources:
                  porch: {type: camera, url: "demo://porch"}

                transforms:
                  \(type): {type: \(type), input: porch}

                sinks:
                  web: {type: http, input: \(type), path: /\(type)}
                """
            case .sink:
                """
                sources:
                  porch: {type: camera, url: "demo://porch"}

                sinks:
                  \(type): {type: \(type), input: porch}
                """
            }
        return """
            # Shows the plugin: campipe plugin build, then campipe run pipeline.yaml.
            version: 1
            plugins: [build/\(module).so]

            \(nodes)

            """
    }

    private var readme: String {
        """
        # \(type)

        A \(kind.rawValue) for campipe: one struct in `Sources/\(module)/\(module).swift`.

            campipe plugin test            # runs Tests/
            campipe plugin build           # makes build/\(module).so
            campipe run pipeline.yaml      # shows it
            campipe plugin check           # whether it keeps the contract
            campipe plugin install .       # for all of your pipelines

        """
    }
}
