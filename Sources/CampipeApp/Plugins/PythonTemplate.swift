/// The files of a new node in Python: a program that a node of `type: exec` runs.
struct PythonTemplate {
    let kind: PluginKind
    /// The node's id in the pipeline: `night_filter`.
    let id: String

    init(_ kind: PluginKind, name: String) {
        self.kind = kind
        id = PluginNames.snake(name)
    }

    /// The texts by their places in the folder.
    var files: [(place: String, text: String)] {
        [
            ("node.py", node), ("test_node.py", test), ("campipe.py", PythonModule.text), ("pipeline.yaml", pipeline),
            ("README.md", readme),
        ]
    }

    private var node: String {
        switch kind {
        case .source: sourceNode
        case .sink: sinkNode
        case .transform, .join: transformNode
        }
    }

    private var test: String {
        let (imports, body) =
            switch kind {
            case .source: ("", sourceTest)
            case .sink: ("import contextlib\nimport io\n", sinkTest)
            case .transform, .join: ("", transformTest)
            }
        return """
            \"""Tries the node without campipe: campipe plugin test, or python3 -m unittest.\"""
            \(imports)import unittest

            import campipe
            from node import Node


            class NodeTest(unittest.TestCase):
            \(body)

            if __name__ == "__main__":
                unittest.main()

            """
    }

    // MARK: - transform

    private var transformNode: String {
        """
        #!/usr/bin/python3
        \"""\(id): makes pictures darker. Change `process`, and run pipeline.yaml.\"""
        import campipe


        class Node(campipe.Transform):
            def open(self):
                # What the pipeline file says under `options`.
                amount = self.options.get("amount", 50)
                self.darker = bytes(value * (100 - amount) // 100 for value in range(256))

            def process(self, frame):
                # frame.data are the bytes of frame.width x frame.height pixels: red, green and blue; with numpy: frame.array.
                frame.data = frame.data.translate(self.darker)
                return frame


        if __name__ == "__main__":
            campipe.run(Node())

        """
    }

    private var transformTest: String {
        """
            def test_pictures_get_darker(self):
                format = campipe.Format(kind="frames", pixel="rgb24", width=2, height=1)
                picture = campipe.Frame(bytes([0, 100, 200, 255, 1, 2]), format)
                given = campipe.trial(Node(), [picture], options={"amount": 50})
                self.assertEqual([bytes(frame.data) for frame in given], [bytes([0, 50, 100, 127, 0, 1])])

        """
    }

    // MARK: - source

    private var sourceNode: String {
        """
        #!/usr/bin/python3
        \"""\(id): gives dark pictures over which a bright bar goes. Change `next`, and run pipeline.yaml.\"""
        import time

        import campipe


        class Node(campipe.Source):
            def open(self):
                # What the pipeline file says under `options`.
                self.fps = self.options.get("fps", 10)
                self.format = campipe.Format(kind="frames", pixel="gray8", width=320, height=240, rate=self.fps)
                self.start = time.monotonic()
                self.number = 0

            def next(self):
                # Called when there is room for a picture; it may wait until one is due.
                due = self.number / self.fps
                wait = max(0, self.start + due - time.monotonic())
                # Silence is a loss, unless it is said before.
                self.rest(wait)
                time.sleep(wait)
                bar = self.number * 4 % 312
                row = bytes([40]) * bar + bytes([220]) * 8 + bytes([40]) * (312 - bar)
                self.number += 1
                return campipe.Frame(row * 240, self.format, pts=int(due * 1_000_000_000))


        if __name__ == "__main__":
            campipe.run(Node())

        """
    }

    private var sourceTest: String {
        """
            def test_the_bar_goes_right(self):
                given = campipe.trial(Node(), turns=3, options={"fps": 100})
                self.assertEqual([bytes(frame.data).index(220) for frame in given], [0, 4, 8])
                self.assertEqual([frame.pts for frame in given], [0, 10_000_000, 20_000_000])

        """
    }

    // MARK: - sink

    private var sinkNode: String {
        """
        #!/usr/bin/python3
        \"""\(id): says when it gets dark, and when it is light again. Change `consume`, and run pipeline.yaml.\"""
        import campipe


        class Node(campipe.Sink):
            def open(self):
                # What the pipeline file says under `options`.
                self.level = self.options.get("level", 50)
                self.was_dark = None

            def consume(self, frame):
                # frame.data are the levels of frame.width x frame.height pixels; with numpy: frame.array.
                is_dark = sum(frame.data) / len(frame.data) < self.level
                if is_dark != self.was_dark:
                    # What is printed goes to the log.
                    print("it is dark" if is_dark else "it is light", flush=True)
                self.was_dark = is_dark


        if __name__ == "__main__":
            campipe.run(Node())

        """
    }

    private var sinkTest: String {
        """
            def test_it_says_once_that_it_gets_dark(self):
                format = campipe.Format(kind="frames", pixel="gray8", width=2, height=1)
                said = io.StringIO()
                with contextlib.redirect_stdout(said):
                    campipe.trial(Node(), [campipe.Frame(bytes([level] * 2), format) for level in (100, 100, 20, 20)])
                self.assertEqual(said.getvalue(), "it is light\\nit is dark\\n")

        """
    }

    // MARK: - The rest

    private var pipeline: String {
        let porch = "sources:\n  porch: {type: camera, url: \"demo://porch\"}\n"
        let nodes =
            switch kind {
            case .source:
                """
                sources:
                  \(id): {type: exec, command: [python3], script: node.py, options: {fps: 10}}

                sinks:
                  web: {type: http, input: \(id), path: /\(id)}
                """
            case .transform, .join:
                """
                \(porch)
                transforms:
                  \(id): {type: exec, input: porch, command: [python3], script: node.py, max_width: 640, options: {amount: 50}}

                sinks:
                  web: {type: http, input: \(id), path: /\(id)}
                """
            case .sink:
                """
                \(porch)
                sinks:
                  \(id): {type: exec, input: porch, command: [python3], script: node.py, pixel: gray8, max_width: 160}
                """
            }
        return "# Shows the node: campipe run pipeline.yaml\nversion: 1\n\n\(nodes)\n"
    }

    private var readme: String {
        """
        # \(id)

        A \(kind.rawValue) for campipe in Python: `node.py`, with `campipe.py` beside it, which talks to campipe.

            campipe plugin test            # runs test_node.py
            campipe run pipeline.yaml      # shows it

        What goes over its pipes is in campipe's docs/exec-protocol.md.

        """
    }
}
