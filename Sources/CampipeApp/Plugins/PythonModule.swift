/// The Python module that every node in Python has beside it: the text of Plugins/Python/campipe.py, word by word, so that
/// `plugin new` has it wherever the program is. A test compares them; `CAMPIPE_UPDATE_GOLDEN=1` writes it anew.
enum PythonModule {
    static let text = #"""
        """A node of a campipe pipeline in Python: one file, the standard library only.

        Put it beside your program, which a node of `type: exec` runs:

            import campipe

            class Invert(campipe.Transform):
                def process(self, frame):
                    frame.data = bytes(255 - value for value in frame.data)   # with numpy: 255 - frame.array
                    return frame

            campipe.run(Invert())

        What you print goes to campipe's log. An exception at one item is told there, the item is dropped, and the program goes
        on; `campipe.Stop` ends it. docs/exec-protocol.md says what goes over the pipes.
        """
        import json
        import os
        import struct
        import sys
        import time
        import traceback

        __all__ = ["Event", "Format", "Frame", "Gap", "Packet", "Sink", "Source", "Stop", "Transform", "box", "run", "trial"]

        VERSION = 1
        NO_TIME = -(1 << 63)
        _HEADER = struct.Struct("<4s4BIIQqqqq")
        _MAGIC = b"cpx1"
        _KEY, _DISPOSABLE, _DAMAGED = 1, 2, 4


        class Stop(Exception):
            """Raise it to end the node in good order: a source gives no more, a sink wants no more."""


        class Format:
            """What a port carries, as a dictionary: `kind`, and of frames `pixel`, `width`, `height`, `rate`, `range`, `matrix`;
            of packets `coding`, `width`, `height`, `rate`, `timebase`, `parameter_sets`."""

            def __init__(self, **facts):
                self.facts = facts

            def __getattr__(self, name):
                if name.startswith("__") or name == "facts":
                    raise AttributeError(name)
                return self.facts.get(name)

            def __eq__(self, other):
                return isinstance(other, Format) and self.facts == other.facts

            def replaced(self, **facts):
                """The same with other facts; None leaves one out."""
                merged = {**self.facts, **facts}
                return Format(**{key: value for key, value in merged.items() if value is not None})

            def planes(self):
                """Of frames: the offset, bytes a row, rows and bytes a pixel of each plane."""
                width, height = self.width, self.height
                half, low = (width + 1) // 2, (height + 1) // 2
                shapes = {
                    "rgb24": [(width, height, 3)],
                    "gray8": [(width, height, 1)],
                    "nv12": [(width, height, 1), (half, low, 2)],
                    "yuv420": [(width, height, 1), (half, low, 1), (half, low, 1)],
                    "yuv422": [(width, height, 1), (half, height, 1), (half, height, 1)],
                    "yuv444": [(width, height, 1)] * 3,
                }[self.pixel]
                offset, planes = 0, []
                for columns, rows, size in shapes:
                    planes.append((offset, columns * size, rows, size))
                    offset += columns * size * rows
                return planes


        class _Timed:
            captured = pts = dts = NO_TIME
            duration = 0
            damaged = False


        class Frame(_Timed):
            """A decoded picture: `format`, and its pixels as `data` (bytes) or, with numpy, as `array`."""

            def __init__(self, data, format, pts=NO_TIME, captured=NO_TIME, regions=None):
                self.data, self.format = data, format
                self.pts, self.captured = pts, captured
                self.regions = regions or []

            width = property(lambda self: self.format.width)
            height = property(lambda self: self.format.height)

            @property
            def array(self):
                """The pixels as a numpy array that can be written to: (height, width, 3) of rgb24, (height, width) of gray8, and
                of the others the plane of luma."""
                import numpy

                if not isinstance(self.data, bytearray):
                    self.data = bytearray(self.data)
                offset, stride, rows, size = self.format.planes()[0]
                plane = numpy.frombuffer(self.data, numpy.uint8, stride * rows, offset)
                return plane.reshape((rows, stride // size, size) if size > 1 else (rows, stride))

            @array.setter
            def array(self, array):
                height, width = array.shape[:2]
                if self.format.pixel not in ("rgb24", "gray8"):
                    raise ValueError("an array can be set of rgb24 and gray8 only: write to its planes instead")
                self.format = self.format.replaced(width=width, height=height)
                self.data = array.astype("uint8", copy=False).tobytes()


        class Packet(_Timed):
            """An encoded picture or piece of sound: `data`, `format`, and whether it decodes alone (`key`)."""

            def __init__(self, data, format, pts=NO_TIME, captured=NO_TIME, key=True, disposable=False):
                self.data, self.format = data, format
                self.pts, self.captured, self.key, self.disposable = pts, captured, key, disposable


        class Event(_Timed):
            """Something that happened. Of what goes on, give the beginning, repeats (`repeat=True`, once a second) and the end
            the same `id`, with the phases `began`, `began` and `ended`."""

            def __init__(self, kind, id=None, phase="happened", payload=None, repeat=False, captured=NO_TIME, node=None):
                self.kind, self.id, self.phase, self.payload = kind, id, phase, payload or {}
                self.repeat, self.captured, self.node = repeat, captured, node


        class Gap:
            """So many items are missing here, for these reasons."""

            def __init__(self, count, reasons, through):
                self.count, self.reasons, self.through = count, reasons, through


        def box(x, y, width, height, label=None, score=None):
            """A rectangle for an event's payload, under `boxes`: 0 to 1 from the top left, as `overlay` draws it."""
            found = {"x": float(x), "y": float(y), "width": float(width), "height": float(height)}
            if label is not None:
                found["label"] = label
            if score is not None:
                found["score"] = float(score)
            return found


        class Node:
            """What all nodes have: `name` and `options`, known from `open` on."""

            name, options, model, live = "", {}, None, True
            #: How many items may be on their way before the first is answered; more only hides the time they take to come.
            credit = 1

            def open(self):
                """Called once, when the options are known: read the model, open the device. What it raises ends the program."""

            def begin(self, format):
                """The input's format begins or changes."""

            def gap(self, gap):
                """Items are missing in front of the next one."""

            def close(self):
                """Called at the end."""

            def emit(self, item, output=None):
                """Gives an item; `output` names which one, where the kind of the item does not tell."""
                self._connection.emit(item, output)

            def wants(self, output):
                """Whether anybody wants what that output gives now, by its name."""
                return self._connection.wants(output)


        class Transform(Node):
            """Takes items and gives others."""

            def process(self, item):
                """Takes an item. What it returns is given: an item, a list of them, or nothing."""
                raise NotImplementedError

            def drain(self):
                """Gives what it holds: at the end, and before the format changes."""


        class Sink(Node):
            """Takes items."""

            def consume(self, item):
                raise NotImplementedError


        class Source(Node):
            """Gives items."""

            def next(self):
                """The next item or a list of them, when there is room for one; None where there is none now. It may wait."""
                raise NotImplementedError

            def rest(self, seconds):
                """Says that all is well, and that nothing is due for so long. A live source that is silent for 5 s without having
                said so, or for three of its usual intervals, counts as lost, and is started again: say it before a long wait."""
                self._connection.rest(seconds)


        class _Connection:
            def __init__(self, input, output):
                self.input, self.output = input, output
                self.inputs, self.outputs = [], []
                self.sent = {}
                self.formats = {}
                self.wanted = 0xFF
                self.credit = 0

            def exactly(self, count):
                data = bytearray(count)
                view, filled = memoryview(data), 0
                while filled < count:
                    read = self.input.readinto(view[filled:])
                    if not read:
                        raise EOFError
                    filled += read
                return data

            def read(self):
                fields = _HEADER.unpack(self.exactly(_HEADER.size))
                magic, kind, port, flags, wanted, text, data, place, captured, pts, dts, duration = fields
                if magic != _MAGIC:
                    raise ValueError("what comes is no message of campipe")
                text = json.loads(self.exactly(text)) if text else {}
                return chr(kind), port, flags, wanted, place, (captured, pts, dts, duration), text, self.exactly(data)

            def write(self, kind, text=None, data=b"", port=0, flags=0, times=(NO_TIME, NO_TIME, NO_TIME, 0)):
                encoded = json.dumps(text).encode() if text else b""
                data = memoryview(data).cast("B")
                self.output.write(_HEADER.pack(_MAGIC, ord(kind), port, flags, 0, len(encoded), len(data), 0, *times))
                self.output.write(encoded)
                self.output.write(data)

            def flush(self):
                self.output.flush()

            def rest(self, seconds):
                self.write("s", {"seconds": float(seconds)})
                self.flush()

            def wants(self, name):
                return any(port["name"] == name and self.wanted >> index & 1 for index, port in enumerate(self.outputs))

            def port(self, item, name):
                kind = "event" if isinstance(item, Event) else "frame" if isinstance(item, Frame) else "packet"
                for index, port in enumerate(self.outputs):
                    if port["kind"] == kind and name in (None, port["name"]):
                        return index
                raise ValueError(f"there is no output {name or ''} for a {kind}".replace("  ", " "))

            def emit(self, item, name=None):
                port = self.port(item, name)
                times = (item.captured, item.pts, item.dts, item.duration)
                if isinstance(item, Event):
                    text = {"kind": item.kind, "phase": item.phase, "payload": item.payload}
                    if item.id is not None:
                        text["id"] = item.id
                    if item.repeat:
                        text["repeat"] = True
                    self.write("i", text, port=port, times=times)
                    return
                if self.sent.get(port) != item.format:
                    self.sent[port] = item.format
                    self.write("f", item.format.facts, port=port)
                flags = _DAMAGED if item.damaged else 0
                if isinstance(item, Packet):
                    flags |= (_KEY if item.key else 0) | (_DISPOSABLE if item.disposable else 0)
                    self.write("i", None, item.data, port, flags, times)
                else:
                    self.write("i", {"regions": item.regions} if item.regions else None, item.data, port, flags, times)

            def item(self, port, flags, times, text, data):
                kind = self.inputs[port]["kind"]
                if kind == "event":
                    item = Event(
                        text["kind"], text["id"], text["phase"], text["payload"], text.get("repeat", False), node=text["node"])
                elif kind == "frame":
                    item = Frame(data, self.formats[port], regions=text.get("regions"))
                else:
                    item = Packet(data, self.formats[port], key=bool(flags & _KEY), disposable=bool(flags & _DISPOSABLE))
                item.captured, item.pts, item.dts, item.duration = times
                item.damaged = bool(flags & _DAMAGED)
                return item

            def emit_all(self, made):
                if made is None:
                    return
                for item in made if isinstance(made, (list, tuple)) else [made]:
                    self.emit(item)


        def trial(node, items=(), options=None, model=None, turns=1):
            """Gives a transform or a sink these items, or a source so many turns, without campipe: for tests.

            Returns what it gave."""
            given = []

            class Kept:
                def emit(self, item, output=None):
                    given.append(item)

                def wants(self, output):
                    return True

                def rest(self, seconds):
                    pass

            def keep(made):
                given.extend(made if isinstance(made, (list, tuple)) else [] if made is None else [made])

            node._connection, node.name, node.options, node.model = Kept(), "trial", options or {}, model
            node.open()
            try:
                if isinstance(node, Source):
                    for _ in range(turns):
                        keep(node.next())
                format = None
                for item in items:
                    if isinstance(item, Gap):
                        node.gap(item)
                        continue
                    if getattr(item, "format", None) != format:
                        format = item.format
                        node.begin(format)
                    if isinstance(node, Sink):
                        node.consume(item)
                    else:
                        keep(node.process(item))
                if isinstance(node, Transform):
                    keep(node.drain())
            except Stop:
                pass
            node.close()
            return given


        def run(node):
            """Runs a node until campipe ends it: the last line of a program."""
            # What is printed goes to the log; the pipe is for messages alone.
            output = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
            os.dup2(2, 1)
            # Without a buffer, so that it can be told whether something waits.
            connection = _Connection(os.fdopen(os.dup(0), "rb", buffering=0), output)
            node._connection = connection
            try:
                kind, *_, hello, _ = connection.read()
                if kind != "h" or hello["protocol"] != VERSION:
                    sys.exit("this campipe.py is of another version than campipe; copy the one that came with it")
                connection.inputs, connection.outputs = hello["inputs"], hello["outputs"]
                node.name, node.options, node.model = hello["node"], hello["options"], hello.get("model")
                node.live = hello["live"]
                try:
                    node.open()
                except Exception as error:
                    traceback.print_exc()
                    connection.write("x", {"message": f"{type(error).__name__}: {error}", "over": True})
                    connection.flush()
                    sys.exit(1)
                connection.write("r", {"protocol": VERSION, "credit": node.credit})
                connection.flush()
                (_give if isinstance(node, Source) else _take)(node, connection)
                node.close()
                connection.flush()
            except (EOFError, BrokenPipeError, KeyboardInterrupt):
                # campipe has gone: nobody is left to tell. What is buffered must not be written at exit either.
                os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


        def _take(node, connection):
            while True:
                kind, port, flags, wanted, _, times, text, data = connection.read()
                if kind == "e":
                    return
                if kind == "g":
                    node.gap(Gap(text["count"], text["reasons"], times[0]))
                    continue
                answer = None
                try:
                    if kind == "f":
                        connection.formats[port] = Format(**{k: v for k, v in text.items() if k != "align"})
                        node.begin(connection.formats[port])
                    elif kind == "d":
                        if isinstance(node, Transform):
                            connection.emit_all(node.drain())
                    elif kind == "i":
                        connection.wanted = wanted
                        item = connection.item(port, flags, times, text, data)
                        if isinstance(node, Transform):
                            connection.emit_all(node.process(item))
                        else:
                            node.consume(item)
                    connection.write("o")
                except Stop:
                    connection.write("o", {"over": True})
                except (EOFError, BrokenPipeError):
                    raise
                except Exception as error:
                    traceback.print_exc()
                    connection.write("x", {"message": f"{type(error).__name__}: {error}"})
                connection.flush()


        def _give(node, connection):
            import select

            waiting = []
            while True:
                # What campipe says is looked at without waiting, unless there is nothing to do until it says it.
                while connection.credit == 0 or select.select([connection.input], [], [], 0)[0]:
                    kind, _, _, _, place, *_ = connection.read()
                    if kind == "e":
                        return
                    if kind == "c":
                        connection.credit += place
                if not waiting:
                    try:
                        made = node.next()
                    except Stop:
                        connection.write("o", {"over": True})
                        connection.flush()
                        connection.credit = 0
                        while connection.read()[0] != "e":
                            pass
                        return
                    waiting = list(made) if isinstance(made, (list, tuple)) else [] if made is None else [made]
                    if not waiting:
                        time.sleep(0.005)
                while waiting and connection.credit > 0:
                    connection.emit(waiting.pop(0))
                    connection.credit -= 1
                connection.flush()

        """#
}
