#!/usr/bin/python3
"""The first lesson of `type: exec`: gives each picture as its negative. docs/exec-protocol.md"""
import campipe

TABLE = bytes(255 - value for value in range(256))


class Invert(campipe.Transform):
    def process(self, frame):
        frame.data = frame.data.translate(TABLE)
        return frame


campipe.run(Invert())
