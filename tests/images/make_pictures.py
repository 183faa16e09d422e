"""Writes the WebP, GIF, AVIF, Netpbm, BMP and TIFF pictures of data/ (Pillow 11 or later): the 5 x 3 pixels and the four
quarters that test_images.c expects of every format."""

from pathlib import Path

from PIL import Image

data = Path(__file__).parent / "data"


def small(alpha=False):
    image = Image.new("RGBA" if alpha else "RGB", (5, 3))
    for y in range(3):
        for x in range(5):
            colour = (51 * x, 85 * y, 255 - 51 * x)
            image.putpixel((x, y), colour + (255 - 17 * (x + 5 * y),) if alpha else colour)
    return image


def quarters():
    image = Image.new("RGB", (64, 32))
    for i, colour in enumerate([(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)]):
        left, top = 32 * (i % 2), 16 * (i // 2)
        image.paste(colour, (left, top, left + 32, top + 16))
    return image


exact = {"lossless": True, "exact": True}
small().save(data / "lossless.webp", **exact)
small(True).save(data / "lossless_alpha.webp", **exact)
quarters().save(data / "lossy.webp", quality=90)
on_its_side = small().transpose(Image.Transpose.ROTATE_90)
exif = Image.Exif()
exif[0x112] = 6  # turn it by 90 degrees to the right
on_its_side.save(data / "rotated.webp", exif=exif.tobytes(), **exact)
# the second picture is another one
small().save(data / "animated.webp", save_all=True, append_images=[on_its_side.resize((5, 3))], **exact)

indexed = small().quantize(16)
indexed.save(data / "plain.gif")
indexed.save(data / "interlaced.gif", interlace=1)
hole = indexed.copy()
hole.save(data / "transparent.gif", transparency=indexed.getpixel((2, 1)))
indexed.save(data / "animated.gif", save_all=True, append_images=[indexed.transpose(Image.Transpose.ROTATE_180)])
quarters().save(data / "quarters.avif", quality=95)

grey = Image.new("L", (5, 3))
chequered = Image.new("1", (5, 3))
for y in range(3):
    for x in range(5):
        grey.putpixel((x, y), 51 * x)
        chequered.putpixel((x, y), 255 * ((x + y) % 2))
small().save(data / "rgb.ppm")
grey.save(data / "grey.pgm")
chequered.save(data / "chequered.pbm")
values = [value for y in range(3) for x in range(5) for value in small().getpixel((x, y))]
(data / "text.ppm").write_text("P3 5 3 255\n" + " ".join(map(str, values)) + "\n")
wide = b"".join((257 * 51 * x).to_bytes(2, "big") for y in range(3) for x in range(5))
(data / "grey16.pgm").write_bytes(b"P5 5 3 65535\n" + wide)
small().save(data / "rgb.bmp")
small().convert("RGBA").save(data / "rgb32.bmp")
indexed.save(data / "palette.bmp")
chequered.save(data / "chequered.bmp")
small().save(data / "rgb.tiff")
small().save(data / "packed.tiff", compression="tiff_deflate")
indexed.save(data / "palette.tiff", compression="tiff_lzw")
grey.save(data / "grey.tiff")
