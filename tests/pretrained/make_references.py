#!/usr/bin/env python3
"""Makes what test_pretrained compares with: a picture in other sizes as Pillow makes them.

    make_references.py [FOLDER]        # default: data, beside this file

Needs numpy and Pillow; the tests need neither."""
import os
import sys

import numpy as np
from PIL import Image

SIZES = [(24, 24), (70, 33), (41, 9), (1, 1)]
FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5}


def picture(width, height):
    """Slow colours, noise, and edges from black to white, where filters overshoot."""
    rng = np.random.default_rng(1)
    y, x = np.mgrid[0:height, 0:width]
    slow = np.stack([120 + 100 * np.sin(x / 7), 120 + 100 * np.cos(y / 5), 4 * (x + y)], -1)
    slow += rng.normal(0, 25, slow.shape)
    slow[:, width // 3:width // 2] = 255
    slow[height // 2:height // 2 + 3] = 0
    return Image.fromarray(np.clip(slow, 0, 255).astype(np.uint8))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    image = picture(41, 29)
    image.save(os.path.join(folder, "picture.png"))
    expected = {f"{name}.{width}x{height}": np.asarray(image.resize((width, height), number))
                for name, number in FILTERS.items() for width, height in SIZES}
    np.savez_compressed(os.path.join(folder, "resampled.npz"), **expected)


if __name__ == "__main__":
    main()
