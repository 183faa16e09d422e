"""Drawings that are not plain: outlined, hatched, blurred, on paper that is not even. PIL at four times the size, then averaged."""
import math
import random

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from painters import SIDE, circle, pixels

FINE = 4 * SIDE


def mask_of(shape):
    mask = Image.new("L", (FINE, FINE), 0)
    pen = ImageDraw.Draw(mask)
    if shape.points is None:
        pen.ellipse(circle(shape, FINE), fill=255)
    else:
        pen.polygon(pixels(shape, FINE), fill=255)
    return mask


def line_of(shape, width):
    """A line along the outline, its middle on it, as pens draw it."""
    mask = Image.new("L", (FINE, FINE), 0)
    pen = ImageDraw.Draw(mask)
    broad = max(1, round(width * FINE))
    if shape.points is None:
        x0, y0, x1, y1 = circle(shape, FINE)
        half = broad / 2
        pen.ellipse([x0 - half, y0 - half, x1 + half, y1 + half], outline=255, width=broad)
    else:
        corners = pixels(shape, FINE)
        pen.line(corners + corners[:2], fill=255, width=broad, joint="curve")
    return mask


def hatching(r, step, width):
    mask = Image.new("L", (FINE, FINE), 0)
    pen = ImageDraw.Draw(mask)
    angle = r.choice([math.pi / 4, -math.pi / 4, 0, 0.3])
    c, s = math.cos(angle), math.sin(angle)
    at = -1.0
    while at < 1:
        x, y, tilt = 0.5 - s * at, 0.5 + c * at, r.uniform(-0.02, 0.02)
        pen.line([((x - c) * FINE, (y - s - tilt) * FINE), ((x + c) * FINE, (y + s + tilt) * FINE)], fill=255,
                 width=round(width * r.uniform(0.85, 1.15) * FINE))
        at += step * r.uniform(0.85, 1.15)
    return mask


def hatched(shape, r):
    small = min(1, shape.size / 0.3)
    strokes = ImageChops.multiply(hatching(r, 0.035 * small, 0.018 * small), mask_of(shape))
    return ImageChops.lighter(strokes, line_of(shape, 0.012 * small))


def blotches(r, most):
    """Soft ones that reach `most` levels of 255 either way, around 128; most of the paper is in one."""
    cells = r.choice([4, 5, 6, 8])
    noise = Image.new("F", (cells, cells))
    noise.putdata([r.choice([-1, 1]) * r.uniform(0.4, 1) for _ in range(cells * cells)])
    noise = noise.resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    low, high = noise.getextrema()
    reach = max(-low, high)
    return noise.point(lambda v: v * (most / reach) + 128).convert("L").resize((FINE, FINE), Image.Resampling.BILINEAR)


def paper(drawing, r, style):
    side = FINE
    ground = Image.new("RGB", (side, side), drawing.ground)
    if "blotches" in style:
        ground = ImageChops.add(ground, Image.merge("RGB", [blotches(r, style["blotches"])] * 3), 1, -128)
    if "checks" in style:
        step, other = side // r.randint(6, 16), style["checks"](drawing, r)
        pen = ImageDraw.Draw(ground)
        for y in range(0, side, step):
            for x in range(y // step % 2 * step, side, 2 * step):
                pen.rectangle([x, y, x + step - 1, y + step - 1], fill=other)
    return ground


def paint(drawing, path):
    """`style`: line, hatched, border, blotches, checks, blur, shadow."""
    style, r = drawing.style, random.Random(drawing.seed)
    image = paper(drawing, r, style)
    for shape in drawing.shapes:
        if "line" in style:
            mask = line_of(shape, style["line"] * min(1, shape.size / 0.2))
        elif "hatched" in style:
            mask = hatched(shape, r)
        else:
            mask = mask_of(shape)
        image.paste(shape.rgb, mask=mask)
    image = image.resize((SIDE, SIDE), Image.Resampling.BOX)
    if "blur" in style:
        image = image.filter(ImageFilter.GaussianBlur(style["blur"]))
    image.save(path)
