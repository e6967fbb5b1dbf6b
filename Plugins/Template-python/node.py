#!/usr/bin/python3
"""NAME: a transform of campipe. Change `process`, and run pipeline.yaml."""
import campipe

DARKER = bytes(value // 2 for value in range(256))


class Node(campipe.Transform):
    def process(self, frame):
        # frame.data are the bytes of frame.width x frame.height pixels, red, green and blue; with numpy: frame.array.
        frame.data = frame.data.translate(DARKER)
        return frame


if __name__ == "__main__":
    campipe.run(Node())
