"""Programs that draw: each paints the filled shapes of a drawing into a PNG, in its own way.

A painter is missing where its module or program is; `missing` names its Debian package.
"""
import shutil
import subprocess

from PIL import Image, ImageDraw

SIDE = 448


def pixels(shape, side):
    return [((shape.x + x) * side, (shape.y + y) * side) for x, y in shape.points]


def circle(shape, side):
    return [shape.box[0] * side, shape.box[1] * side, shape.box[2] * side, shape.box[3] * side]


def pil_image(drawing, side=SIDE):
    image = Image.new("RGB", (side, side), drawing.ground)
    pen = ImageDraw.Draw(image)
    for shape in drawing.shapes:
        if shape.points is None:
            pen.ellipse(circle(shape, side), fill=shape.rgb)
        else:
            pen.polygon(pixels(shape, side), fill=shape.rgb)
    return image


def pil(drawing, path):
    pil_image(drawing).save(path)


def pil_fine(drawing, path):
    pil_image(drawing, 4 * SIDE).resize((SIDE, SIDE), Image.Resampling.BOX).save(path)


def cairo(drawing, path):
    import cairo as c
    surface = c.ImageSurface(c.FORMAT_RGB24, SIDE, SIDE)
    pen = c.Context(surface)
    pen.set_source_rgb(*(v / 255 for v in drawing.ground))
    pen.paint()
    for shape in drawing.shapes:
        pen.set_source_rgb(*(v / 255 for v in shape.rgb))
        if shape.points is None:
            pen.arc(shape.x * SIDE, shape.y * SIDE, shape.size * SIDE / 2, 0, 7)
        else:
            for x, y in pixels(shape, SIDE):
                pen.line_to(x, y)
            pen.close_path()
        pen.fill()
    surface.write_to_png(path)


def svg_of(drawing):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}">',
             f'<rect width="100%" height="100%" fill="rgb{drawing.ground}"/>']
    for s in drawing.shapes:
        if s.points is None:
            parts.append(f'<circle cx="{s.x * SIDE}" cy="{s.y * SIDE}" r="{s.size * SIDE / 2}" fill="rgb{s.rgb}"/>')
        else:
            corners = " ".join(f"{x:.3f},{y:.3f}" for x, y in pixels(s, SIDE))
            parts.append(f'<polygon points="{corners}" fill="rgb{s.rgb}"/>')
    return "\n".join(parts + ["</svg>"])


def rsvg(drawing, path):
    subprocess.run(["rsvg-convert", "-o", path], input=svg_of(drawing).encode(), check=True)


def magick(drawing, path, antialias=True):
    marks = []
    for s in drawing.shapes:
        marks.append("fill rgb(%d,%d,%d)" % s.rgb)
        if s.points is None:
            marks.append(f"circle {s.x * SIDE},{s.y * SIDE} {(s.x + s.size / 2) * SIDE},{s.y * SIDE}")
        else:
            marks.append("polygon " + " ".join(f"{x:.3f},{y:.3f}" for x, y in pixels(s, SIDE)))
    option = [] if antialias else ["+antialias"]
    draw = ["-draw", " ".join(marks)] if marks else []
    subprocess.run(["/usr/bin/convert", "-size", f"{SIDE}x{SIDE}", "xc:rgb(%d,%d,%d)" % drawing.ground,
                    *option, *draw, "PNG24:" + path], check=True)


def magick_hard(drawing, path):
    magick(drawing, path, False)


def postscript_of(drawing):
    def colour(rgb):
        return "%.4f %.4f %.4f setrgbcolor" % tuple(v / 255 for v in rgb)

    lines = ["%!", f"<< /PageSize [{SIDE} {SIDE}] >> setpagedevice", colour(drawing.ground),
             f"0 0 {SIDE} {SIDE} rectfill"]
    for s in drawing.shapes:
        lines.append(colour(s.rgb) + " newpath")
        if s.points is None:
            lines.append(f"{s.x * SIDE} {(1 - s.y) * SIDE} {s.size * SIDE / 2} 0 360 arc fill")
        else:
            corners = [f"{x:.3f} {SIDE - y:.3f}" for x, y in pixels(s, SIDE)]
            lines.append(corners[0] + " moveto " + " ".join(c + " lineto" for c in corners[1:]) + " closepath fill")
    return "\n".join(lines + ["showpage"])


def ghostscript(drawing, path, bits=4):
    subprocess.run(["gs", "-q", "-dBATCH", "-dNOPAUSE", "-dSAFER", "-sDEVICE=png16m", "-r72",
                    f"-dGraphicsAlphaBits={bits}", "-sOutputFile=" + path, "-"],
                   input=postscript_of(drawing).encode(), check=True)


def ghostscript_hard(drawing, path):
    ghostscript(drawing, path, 1)


def matplotlib(drawing, path):
    import matplotlib as m
    m.use("Agg")
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, Polygon
    figure = Figure(figsize=(4.48, 4.48), dpi=100, facecolor=[v / 255 for v in drawing.ground])
    axes = figure.add_axes([0, 0, 1, 1], xlim=(0, 1), ylim=(1, 0))
    axes.axis("off")
    for s in drawing.shapes:
        colour = [v / 255 for v in s.rgb]
        patch = Circle((s.x, s.y), s.size / 2, color=colour, lw=0) if s.points is None else \
            Polygon([(s.x + x, s.y + y) for x, y in s.points], color=colour, lw=0)
        axes.add_patch(patch)
    figure.savefig(path)


PAINTERS = {"PIL": pil, "PIL, 4 times finer": pil_fine, "cairo": cairo, "rsvg-convert": rsvg,
            "ImageMagick": magick, "ImageMagick, hard": magick_hard, "Ghostscript": ghostscript,
            "Ghostscript, hard": ghostscript_hard, "matplotlib": matplotlib}


def missing(name):
    """The Debian package that a painter lacks, or None."""
    programs = {"rsvg-convert": ("rsvg-convert", "librsvg2-bin"), "ImageMagick": ("/usr/bin/convert", "imagemagick"),
                "Ghostscript": ("gs", "ghostscript")}
    for start, (program, package) in programs.items():
        if name.startswith(start):
            return None if shutil.which(program) else package
    modules = {"cairo": "python3-cairo", "matplotlib": "python3-matplotlib"}
    if name in modules:
        try:
            __import__(name)
        except ImportError:
            return modules[name]
    return None
