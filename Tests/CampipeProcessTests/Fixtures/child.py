"""A child without the helper module, so that it can misbehave: child.py MODE. It hands frames on as they come."""
import os
import signal
import struct
import sys
import time

HEADER = struct.Struct("<4s4BIIQqqqq")
NO_TIME = -(1 << 63)
mode = sys.argv[1]


def exactly(count):
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def read():
    fields = HEADER.unpack(exactly(HEADER.size))
    return chr(fields[1]), fields[8:], exactly(fields[5]), exactly(fields[6])


def put(data):
    view = memoryview(data)
    while view:
        view = view[os.write(1, view):]


def message(kind, text=b"", data=b"", times=(NO_TIME, NO_TIME, NO_TIME, 0), count=None):
    size = len(data) if count is None else count
    return HEADER.pack(b"cpx1", ord(kind), 0, 0, 0, len(text), size, 0, *times) + text + data


if mode == "never starts":
    time.sleep(1000)
if mode == "ends before it is ready":
    print("no such model", file=sys.stderr)
    sys.exit(3)
if mode == "prints":
    print("starting up, please wait a moment until the network is loaded")
    sys.stdout.flush()
if mode == "ignores the end":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == "leaves a child":
    if os.fork() == 0:
        time.sleep(1000)

read()
put(message("r", b'{"protocol":1}'))
if mode == "never reads":
    time.sleep(1000)
given = 0
while True:
    kind, times, text, data = read()
    if kind == "e":
        if mode == "ignores the end":
            while True:
                time.sleep(1000)
        if mode == "leaves a child":
            os._exit(0)
        break
    if kind == "f":
        put(message("f", text))
        put(message("o"))
    elif kind == "d":
        put(message("o"))
    elif kind == "i":
        given += 1
        if mode == "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif mode == "exits":
            print("cannot go on", file=sys.stderr)
            sys.exit(7)
        elif mode == "hangs":
            time.sleep(1000)
        elif mode == "garbage":
            put(b"\xff\xfe" * 500)
        elif mode == "exits in mid-frame":
            put(message("i", data=data, times=times)[:100])
            sys.exit(0)
        elif mode == "huge frame":
            put(message("i", count=0xFFFFFFF0))
            time.sleep(1000)
        elif mode == "wrong size":
            put(message("i", data=data + b"x", times=times))
            time.sleep(1000)
        elif mode == "talks":
            while True:
                put(message("l", b'{"message":"la la la"}'))
        elif mode == "makes too much":
            while True:
                put(message("i", data=data, times=times))
        elif mode == "leaks":
            hoard = []
            while True:
                hoard.append(bytearray(64 << 20))
        elif mode == "closes its output":
            os.close(1)
            time.sleep(1000)
        elif mode == "wrong pts":
            put(message("i", data=data, times=(1 << 62, -(1 << 62), 5, 0)))
            put(message("o"))
        elif mode == "floods stderr":
            os.write(2, b"warning: something is odd here\n" * 20000)
            put(message("i", data=data, times=times))
            put(message("o"))
        elif mode == "refuses the second" and given == 2:
            put(message("x", b'{"message":"no picture"}'))
        else:
            put(message("i", data=data, times=times))
            put(message("o"))
