/// A program for `exec` in Python that hands on what it gets, or as a source gives 20,000 small items.
enum EchoProgram {
    static let text = """
        import os, struct
        HEADER = struct.Struct("<4s4BIIQqqqq")
        NONE = (-(1 << 63),) * 3 + (0,)
        def exactly(count):
            parts = []
            while count:
                part = os.read(0, count)
                if not part: os._exit(0)
                parts.append(part)
                count -= len(part)
            return b"".join(parts)
        def read():
            f = HEADER.unpack(exactly(56))
            return chr(f[1]), f[3], f[7], f[8:], exactly(f[5]), exactly(f[6])
        def message(kind, text=b"", data=b"", flags=0, times=NONE):
            return HEADER.pack(b"cpx1", ord(kind), 0, flags, 0, len(text), len(data), 0, *times) + text + data
        def put(data):
            view = memoryview(data)
            while view: view = view[os.write(1, view):]
        hello = read()[4]
        source, sink = b'"role":"source"' in hello, b'"role":"sink"' in hello
        put(message("r", b'{"protocol":1}'))
        text, data = b"", b""
        if source:
            if b'"kind":"frame"' in hello:
                put(message("f", b'{"pixel":"gray8","width":16,"height":16}'))
                data = bytes(256)
            elif b'"kind":"packet"' in hello: put(message("f", b'{"coding":"empty"}'))
            else: text = b'{"kind":"tick","id":"1"}'
        given = 0
        while True:
            kind, flags, place, times, t, d = read()
            if kind == "e": break
            if kind == "c":
                for _ in range(place):
                    time = given * 40000000
                    if given < 20000: put(message("i", text, data, 1, (time, time, time, 0)))
                    elif given == 20000: put(message("o", b'{"over":true}'))
                    given += 1
            elif kind == "f": put((b"" if sink or b'"events"' in t else message("f", t)) + message("o"))
            elif kind == "d": put(message("o"))
            elif kind == "i": put((b"" if sink else message("i", t, d, flags, times)) + message("o"))
        """
}
