#!/usr/bin/python3
"""Finds people (or other things) in pictures with a small network, by OpenCV's dnn; README.md says how to use it.

Gives events `object_started` and `object_ended`: of what is seen now the payload has `boxes` with `label` and `score`, and
the surest of them as `class` and `score`. What goes on is said again with each picture in which it is seen.
"""
import math
import sys

import campipe

COCO = (
    "person bicycle car motorcycle airplane bus train truck boat traffic_light fire_hydrant stop_sign parking_meter bench "
    "bird cat dog horse sheep cow elephant bear zebra giraffe backpack umbrella handbag tie suitcase frisbee skis "
    "snowboard sports_ball kite baseball_bat baseball_glove skateboard surfboard tennis_racket bottle wine_glass cup fork "
    "knife spoon bowl banana apple sandwich orange broccoli carrot hot_dog pizza donut cake chair couch potted_plant bed "
    "dining_table toilet tv laptop mouse remote keyboard cell_phone microwave oven toaster sink refrigerator book clock "
    "vase scissors teddy_bear hair_drier toothbrush"
).split()


def found_in_grid(output, numpy):
    """FastestDet: (5 + classes, rows, columns), with objectness, box and classes of each cell."""
    classes, rows, columns = output.shape
    score = output[0] ** 0.6 * output[5:].max(axis=0) ** 0.4
    kinds = output[5:].argmax(axis=0)
    for row, column in zip(*numpy.nonzero(score > 0.1)):
        x, y, width, height = output[1:5, row, column]
        width, height = 1 / (1 + math.exp(-width)), 1 / (1 + math.exp(-height))
        x, y = (column + math.tanh(x)) / columns, (row + math.tanh(y)) / rows
        yield kinds[row, column], float(score[row, column]), x - width / 2, y - height / 2, width, height


def found_in_rows(output, numpy, size):
    """YOLOv5 and its like: rows of box (in pixels of the input), objectness and classes."""
    scores = output[:, 4] * output[:, 5:].max(axis=1)
    kinds = output[:, 5:].argmax(axis=1)
    for row in numpy.nonzero(scores > 0.1)[0]:
        x, y, width, height = output[row, :4] / size
        yield kinds[row], float(scores[row]), x - width / 2, y - height / 2, width, height


class People(campipe.Transform):
    def open(self):
        try:
            import cv2
            import numpy
        except ImportError as missing:
            sys.exit(f"{missing}; install python3-opencv")
        if not self.model:
            sys.exit("no network is named: write model: FastestDet.onnx")
        self.cv2, self.numpy = cv2, numpy
        cv2.setNumThreads(int(self.options.get("threads", 1)))
        self.network = cv2.dnn.readNet(self.model)
        self.size = int(self.options.get("size", 352))
        self.classes = set(self.options.get("classes", ["person"]))
        unknown = self.classes - set(COCO)
        if unknown:
            sys.exit(f"unknown classes: {', '.join(sorted(unknown))}; known: {', '.join(COCO)}")
        self.min_score = float(self.options.get("min_score", 0.65))
        # Seconds without anything seen, after which what went on has ended.
        self.patience = float(self.options.get("gap", 3)) * 1e9
        self.going = None
        self.is_broken = False

    def gap(self, gap):
        # While nobody looked, or the camera was away, it may have gone.
        self.is_broken = self.is_broken or bool({"gated", "lost"} & set(gap.reasons))

    def process(self, frame):
        events = []
        if self.is_broken:
            events += self.end(frame.captured)
            self.is_broken = False
        boxes = self.look(frame)
        if boxes:
            best = max(boxes, key=lambda box: box["score"])
            payload = {"boxes": boxes, "class": best["label"], "score": best["score"], "count": len(boxes)}
            is_new = self.going is None
            identity = f"{self.name}-{frame.captured // 1_000_000}" if is_new else self.going[0]
            self.going = (identity, payload, frame.captured)
            events.append(
                campipe.Event("object_started", identity, "began", payload, repeat=not is_new, captured=frame.captured))
        elif self.going and frame.captured - self.going[2] >= self.patience:
            events += self.end(frame.captured)
        return events

    def drain(self):
        return self.end(campipe.NO_TIME)

    def end(self, captured):
        if self.going is None:
            return []
        identity, payload, _ = self.going
        self.going = None
        return [campipe.Event("object_ended", identity, "ended", payload, captured=captured)]

    def look(self, frame):
        picture = self.cv2.cvtColor(frame.array, self.cv2.COLOR_RGB2BGR)
        blob = self.cv2.dnn.blobFromImage(picture, 1 / 255, (self.size, self.size))
        self.network.setInput(blob)
        output = self.network.forward()[0]
        found = (
            found_in_grid(output, self.numpy) if output.ndim == 3 else found_in_rows(output, self.numpy, self.size))
        wanted = [one for one in found if COCO[one[0]] in self.classes and one[1] >= self.min_score]
        boxes = []
        for kind in {one[0] for one in wanted}:
            same = [one for one in wanted if one[0] == kind]
            kept = self.cv2.dnn.NMSBoxes([list(map(float, one[2:])) for one in same], [one[1] for one in same], 0, 0.45)
            for index in self.numpy.array(kept).flatten():
                _, score, x, y, width, height = same[index]
                left, top = max(0.0, x), max(0.0, y)
                right, bottom = min(1.0, x + width), min(1.0, y + height)
                boxes.append(
                    campipe.box(
                        round(left, 4), round(top, 4), round(right - left, 4), round(bottom - top, 4), COCO[kind],
                        round(score, 3)))
        return sorted(boxes, key=lambda box: -box["score"])


if __name__ == "__main__":
    campipe.run(People())
