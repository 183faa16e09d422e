"""Drawings and what is true of them, made without the program's own painter: names, places, outlines and colours.

Lengths are shares of the picture's side, y down. A shape is a polygon, or a circle where `points` is None.
"""
import math
import random
from dataclasses import dataclass, field

COLOURS = "red orange yellow green blue purple white black".split()
SHAPES = "circle square triangle star cross diamond".split()
HELD = {("blue", "circle"), ("purple", "square"), ("green", "triangle"),
        ("red", "star"), ("yellow", "cross"), ("orange", "diamond")}

PALETTES = {
    "css": "ff0000 ffa500 ffff00 008000 0000ff 800080 ffffff 000000",
    "tab10": "d62728 ff7f0e ffd92f 2ca02c 1f77b4 9467bd ffffff 000000",
    "material": "f44336 ff9800 ffeb3b 4caf50 2196f3 9c27b0 ffffff 212121",
    "x11": "ff0000 ffa500 ffff00 00ff00 0000ff a020f0 ffffff 000000",
    "lego": "c91a09 fe8a18 f2cd37 237841 0055bf 81007b f4f4f4 05131d",
    "excel": "c00000 ed7d31 ffc000 70ad47 4472c4 7030a0 ffffff 000000",
}
GROUNDS = "ffffff ffffff ffffff fdf6e3 f0f0f0 e8e8e8 d9e6f2 e6f2d9 f7dfe5 cccccc 808080 404040 202020 000000 1b2838".split()


def rgb(text):
    return tuple(int(text[i:i + 2], 16) for i in (0, 2, 4))


def contrast(a, b):
    """Distance as it looks, roughly: 0 … 765 (Riemersma's weighted RGB)."""
    mean = (a[0] + b[0]) / 2
    r, g, b = (a[i] - b[i] for i in range(3))
    return math.sqrt((2 + mean / 256) * r * r + 4 * g * g + (2 + (255 - mean) / 256) * b * b)


@dataclass
class Shape:
    colour: str
    shape: str
    large: bool
    rgb: tuple = (0, 0, 0)
    x: float = 0
    y: float = 0
    size: float = 0
    points: list = None            # [(x, y)]; None: a circle
    box: tuple = (0, 0, 0, 0)


@dataclass
class Drawing:
    shapes: list
    ground: tuple = (255, 255, 255)
    seed: int = 0
    sentence: str = ""
    style: dict = field(default_factory=dict)


# ---------------------------------------------------------------- outlines

def regular_star(inner):
    return [(math.sin(k * math.pi / 5) * (inner if k % 2 else 1), -math.cos(k * math.pi / 5) * (inner if k % 2 else 1))
            for k in range(10)]


def outline(name, r, how):
    """Corners around 0, 0 of any size; None: a circle. `how`: upside_down, right, narrow, bar."""
    if name == "circle":
        return None
    if name == "square":
        return [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    if name == "diamond":
        width = r.uniform(0.35, 0.6) if how.get("narrow") else 1
        return [(0, -1), (width, 0), (0, 1), (-width, 0)]
    if name == "triangle":
        height = r.uniform(0.86, 1)
        tip = r.choice([-1, 1]) if how.get("right") else 0
        corners = [(tip, -height), (1, height), (-1, height)]
        return [(x, -y) for x, y in corners] if how.get("upside_down") else corners
    if name == "star":
        return regular_star(r.uniform(0.38, 0.45))
    bar = how.get("bar", r.uniform(0.3, 0.37))
    return [(-bar, -1), (bar, -1), (bar, -bar), (1, -bar), (1, bar), (bar, bar),
            (bar, 1), (-bar, 1), (-bar, bar), (-1, bar), (-1, -bar), (-bar, -bar)]


def turned(points, angle):
    c, s = math.cos(angle), math.sin(angle)
    return [(c * x - s * y, s * x + c * y) for x, y in points]


def turn_of(name, r, how):
    """Squares and diamonds keep their names only up to about 20 degrees."""
    most = how.get("turn", math.radians(6))
    if name in ("square", "diamond"):
        most = min(most, math.radians(18))
    return how["exactly"] if "exactly" in how else r.uniform(-most, most)


def by_hand(points, r, amount):
    """The outline as a hand draws it: many points, each a little astray, neighbours together."""
    if points is None:
        points = [(math.cos(k * math.pi / 12), math.sin(k * math.pi / 12)) for k in range(24)]
    waves = [(r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(0, 6.3), k) for k in (2, 3, 5, 7, 11)]
    long, result = 48 // len(points) + 1, []
    for i, (x0, y0) in enumerate(points):
        x1, y1 = points[(i + 1) % len(points)]
        for k in range(long):
            u, t = k / long, 2 * math.pi * (i + k / long) / len(points)
            dx = sum(a * math.sin(n * t + p) for a, b, p, n in waves)
            dy = sum(b * math.cos(n * t + p) for a, b, p, n in waves)
            result.append((x0 + u * (x1 - x0) + amount * dx, y0 + u * (y1 - y0) + amount * dy))
    return result


def shape_up(shape, r, how):
    """Gives the shape its corners, so that the longer side of their box is its size."""
    points = outline(shape.shape, r, how)
    if points is not None:
        points = turned(points, turn_of(shape.shape, r, how))
    if how.get("wobble"):
        points = by_hand(points, r, how["wobble"])
    if points is None:
        half = shape.size / 2
        return half, half
    xs, ys = [x for x, _ in points], [y for _, y in points]
    scale = shape.size / max(max(xs) - min(xs), max(ys) - min(ys))
    mx, my = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    shape.points = [((x - mx) * scale, (y - my) * scale) for x, y in points]
    return (max(xs) - min(xs)) * scale / 2, (max(ys) - min(ys)) * scale / 2


# ---------------------------------------------------------------- scenes

def phrase(shape):
    return f"a {'large' if shape.large else 'small'} {shape.colour} {shape.shape}"


def sentence_of(shapes):
    if not shapes:
        return "nothing"
    text = phrase(shapes[0])
    if len(shapes) > 1:
        dx, dy = shapes[0].x - shapes[1].x, shapes[0].y - shapes[1].y
        across = "left of" if dx < 0 else "right of"
        text += " " + (across if abs(dx) > abs(dy) else "above" if dy < 0 else "below") + " " + phrase(shapes[1])
    return text + "".join(" and " + phrase(s) for s in shapes[2:])


def undisputed(shapes):
    for a, b in zip(shapes, shapes[1:]):
        if a.large == b.large and b.x - a.x < 0.09:
            return False
    if len(shapes) > 1:
        dx, dy = abs(shapes[0].x - shapes[1].x), abs(shapes[0].y - shapes[1].y)
        if abs(dx - dy) < 0.09:
            return False
    for i, a in enumerate(shapes):
        for b in shapes[:i]:
            if min(a.box[2], b.box[2]) - max(a.box[0], b.box[0]) > -0.02 and \
               min(a.box[3], b.box[3]) - max(a.box[1], b.box[1]) > -0.02:
                return False
    return True


def sizes_of(row, large):
    return row.get("large", (0.3, 0.41)) if large else row.get("small", (0.16, 0.215))


def pick_names(r, row):
    count, shapes = r.choice(row.get("counts", (1, 2, 3))), []
    while len(shapes) < count:
        colour, name = r.choice(COLOURS), r.choice(row.get("shapes", SHAPES))
        if row.get("pairs") == "held":
            colour, name = r.choice(sorted(HELD))
        large = r.random() < 0.5
        if "large" in row and "small" not in row:
            large = True
        if "small" in row and "large" not in row:
            large = False
        if all((colour, name, large) != (s.colour, s.shape, s.large) for s in shapes):
            shapes.append(Shape(colour, name, large))
    return shapes


def place(r, row, shapes):
    how = row.get("how", {})
    for shape in shapes:
        shape.size = r.uniform(*sizes_of(row, shape.large))
        hw, hh = shape_up(shape, r, how)
        shape.x, shape.y = r.uniform(0.02 + hw, 0.98 - hw), r.uniform(0.02 + hh, 0.98 - hh)
        shape.box = (shape.x - hw, shape.y - hh, shape.x + hw, shape.y + hh)
    shapes.sort(key=lambda s: (not s.large, s.x))
    return undisputed(shapes)


def make(row, seed):
    """A drawing of this row; always the same for a seed."""
    r = random.Random(f"{row['name']} {seed}")
    shapes = pick_names(r, row)
    palette = [rgb(c) for c in PALETTES[row.get("palette", "css")].split()]
    for shape in shapes:
        shape.rgb = palette[COLOURS.index(shape.colour)]
    while not place(r, row, shapes):
        pass
    tones = [rgb(c) for c in row.get("grounds", GROUNDS)]
    able = [t for t in tones if all(contrast(t, s.rgb) > 150 for s in shapes)] or [rgb("808080")]
    return Drawing(shapes, r.choice(able), r.getrandbits(32), sentence_of(shapes), row.get("style", {}))
