"""Tries the node without campipe: python3 -m unittest"""
import unittest

import campipe
from node import Node


class NodeTest(unittest.TestCase):
    def test_pictures_get_darker(self):
        format = campipe.Format(kind="frames", pixel="rgb24", width=2, height=1)
        given = campipe.trial(Node(), [campipe.Frame(bytes([0, 100, 200, 255, 1, 2]), format)])
        self.assertEqual([bytes(frame.data) for frame in given], [bytes([0, 50, 100, 127, 0, 1])])


if __name__ == "__main__":
    unittest.main()
