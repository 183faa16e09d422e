#!/usr/bin/env python3
"""Makes what test_pretrained compares with: a picture in other sizes as Pillow makes them.

    make_references.py [FOLDER]        # default: data, beside this file

Needs numpy, scipy and Pillow; the tests need neither."""
import os
import sys

import numpy as np
from PIL import Image
from scipy import ndimage

SIZES = [(24, 24), (70, 33), (41, 9), (1, 1)]
PAGES = [(20, 30), (20, 24), (30, 20)]
SMOOTH = [(12, 12), (60, 60), (20, 50)]
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


def page(image, width, height):
    """As DonutImageProcessorPil does with do_align_long_axis: turned, the shorter side as the page's, shrunk into it, filled up."""
    image = image.transpose(Image.Transpose.ROTATE_270) if (image.width > image.height) == (width < height) else image
    shorter = min(width, height)
    sizes = (shorter, shorter * image.height // image.width) if image.width <= image.height else (shorter * image.width // image.height, shorter)
    image = image.resize(sizes, 2)
    inside = [min(sizes[0], width), min(sizes[1], height)]
    if tuple(inside) != sizes:
        if sizes[1] > sizes[0]:
            inside[0] = sizes[0] * inside[1] // sizes[1]
        elif sizes[0] > sizes[1]:
            inside[1] = sizes[1] * inside[0] // sizes[0]
        image = image.resize(inside, 2)
    filled = Image.new("RGB", (width, height))
    filled.paste(image, ((width - image.width) // 2, (height - image.height) // 2))
    return filled


def smooth(image, width, height):
    """As Owlv2ImageProcessorPil does: on a square, behind a Gaussian filter, by lines."""
    side = max(image.size)
    square = np.zeros((side, side, 3))
    square[:image.height, :image.width] = np.asarray(image)
    factors = np.array([side / height, side / width, 1])
    filtered = ndimage.gaussian_filter(square, np.maximum(0, (factors - 1) / 2), mode="mirror")
    return ndimage.zoom(filtered, 1 / factors, order=1, mode="mirror", grid_mode=True)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    image = picture(41, 29)
    image.save(os.path.join(folder, "picture.png"))
    expected = {f"{name}.{width}x{height}": np.asarray(image.resize((width, height), number))
                for name, number in FILTERS.items() for width, height in SIZES}
    expected.update({f"page.{width}x{height}": np.asarray(page(image, width, height)) for width, height in PAGES})
    expected.update({f"smooth.{width}x{height}": smooth(image, width, height).astype(np.float32) for width, height in SMOOTH})
    np.savez_compressed(os.path.join(folder, "resampled.npz"), **expected)


if __name__ == "__main__":
    main()
