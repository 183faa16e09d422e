#!/usr/bin/env python3
"""try_pages.py SACCADE [FOLDER]: pages of heads, a picture's weights, a caption, a translation and hostile labels in a
headless Chromium: what is drawn, what clicks do, what the console prints. Screenshots go to FOLDER. 77: no Chromium."""
import array
import html
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom
import zipfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(__file__))
from browser import Browser  # noqa: E402

HOSTILE = ["</script><script>document.title='broken'</script>", "<img src=x onerror=\"document.title='broken'\">", "\"'`",
           "\u202eright to left", "bell\a\x1b[31m", "<!--", "]]>", "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627",
           "\U0001f600", "&lt;", "\u2028", "\\u003c", "${1}", "long " * 40]


def npy(shape, dtype, data):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def write_npz(path, shape, weights, tokens=None):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("attentions.npy", npy(shape, "<f4", weights))
        if tokens:
            width = max(map(len, tokens))
            text = b"".join(t.encode("utf-32-le").ljust(4 * width, b"\0") for t in tokens)
            file.writestr("tokens.npy", npy([len(tokens)], f"<U{width}", text))


def heads(layers, count, tokens, near=1.0):
    """Rows that look near the diagonal, further the higher the head."""
    values = array.array("f")
    rng = random.Random(7)
    for head in range(layers * count):
        noise = [rng.random() for _ in range(tokens)]
        for r in range(tokens):
            row = [math.exp(-near * abs(r - c) / (1 + head % count)) + 0.02 * noise[(r * 7 + c) % tokens] for c in range(tokens)]
            whole = sum(row)
            values.extend(w / whole for w in row)
    return values.tobytes()


def even_photograph(path, side=96, height=96):
    rows = b"".join(b"\0" + bytes(v for x in range(side) for v in (200, 120 + x, 60 + y)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


READY = "document.body && document.body.dataset.ready !== undefined && (mapCount() < 2 || document.body.dataset.ready === 'all')"


class Trial:
    def __init__(self, browser, program, folder):
        self.browser, self.program, self.folder = browser, program, folder

    def file(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, *words):
        done = subprocess.run([self.program, *words, "--html", self.file(name)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return self.file(name)

    def open(self, path, width=1280, height=800, **how):
        page = self.browser.open("file://" + path, width, height, **how)
        page.wait(READY)
        return page

    def clean(self, page):
        assert page.errors == [], page.errors
        assert page.requests == [], page.requests

    def picture(self, page, name):
        page.picture(self.file(name + ".png"))


def pixel(page, selector, x, y):
    """Red, green, blue of a canvas at a share of its width and height."""
    return page.run("""((selector, x, y) => {
        const c = document.querySelector(selector), own = document.createElement("canvas");
        own.width = own.height = 1;
        const pen = own.getContext("2d", {willReadFrequently: true});
        pen.drawImage(c, Math.floor(c.width * x), Math.floor(c.height * y), 1, 1, 0, 0, 1, 1);
        return Array.from(pen.getImageData(0, 0, 1, 1).data).slice(0, 3);
    })(%s, %r, %r)""" % (json.dumps(selector), x, y))


def luminance(rgb):
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def heads_and_matrix(t):
    write_npz(t.file("heads.npz"), [3, 1, 4, 20, 20], heads(3, 4, 20), [f"word{i}" for i in range(20)])
    page = t.open(t.write("heads.html", "view", t.file("heads.npz")))
    assert page.run("document.getElementById('title').textContent") == "heads.npz"
    assert page.run("map.at(5, 5) > map.at(5, 6) && map.at(5, 6) > map.at(5, 9)")
    assert abs(page.run("map.row(5).reduce((a, b) => a + b)") - 1) < 0.01
    # the diagonal is bright, a corner is dark
    on = page.run("[(layout.box.x + 3.5 * layout.cell) / layout.width, (layout.box.y + 3.5 * layout.cell) / layout.height]")
    off = page.run("[(layout.box.x + 19.5 * layout.cell) / layout.width, (layout.box.y + 0.5 * layout.cell) / layout.height]")
    assert luminance(pixel(page, "#canvas", *on)) > luminance(pixel(page, "#canvas", *off)) + 60
    # a click on the third head of the second layer
    x, y = page.run("[drawOverview.layout.left + 2.5 * drawOverview.layout.step, drawOverview.layout.top + 1.5 * drawOverview.layout.step]")
    width, height = page.run("[drawOverview.layout.width, drawOverview.layout.height]")
    page.click("#overview canvas", x / width, y / height)
    page.wait("document.getElementById('named').textContent === 'layer 1, head 2'")
    # the pointer on a cell shows its weight; a click makes its row current
    page.point("#canvas", *on)
    page.wait("document.getElementById('readout').textContent.startsWith('“word3” → “word3”: 0.')")
    page.click("#canvas", *off)
    assert page.run("state.row") == 0
    # a word of the sentence, and the next one by key
    page.click("#sentence button:nth-of-type(8)")
    assert page.run("state.row") == 7
    page.key("ArrowRight", 39)
    assert page.run("state.row") == 8
    # mean of the heads, without the first token: rows still sum to 1
    page.run("[...document.querySelectorAll('#choices button')].find((b) => b.textContent === 'mean').click()")
    page.wait("document.getElementById('named').textContent === 'layer 1, mean of 4 heads'")
    page.run("[...document.querySelectorAll('#choices button')].find((b) => b.textContent === 'without first token').click()")
    page.wait("state.first === 1 && map.at(3, 0) === 0")
    assert abs(page.run("map.row(3).reduce((a, b) => a + b)") - 1) < 0.01
    t.picture(page, "heads")
    # rollout: the product of the means of both layers, each with the identity
    page.run("[...document.querySelectorAll('#choices button')].find((b) => b.textContent === 'without first token').click()")
    page.run("[...document.querySelectorAll('#choices button')].find((b) => b.textContent === 'rollout').click()")
    page.wait("document.getElementById('named').textContent === 'layer 1, rollout of the layers up to this one'")
    assert page.run("""(async () => {
        const means = [];
        for (const layer of [0, 1]) {
            const mean = reduceHeads(await loadLayer(0, 0, layer), "mean");
            means.push([...Array(20).keys()].map((r) => Array.from(mean.row(r), (w, c) => (w + (c === r ? 1 : 0)) / 2)));
        }
        let most = 0;
        for (let r = 0; r < 20; r++) for (let c = 0; c < 20; c++)
            most = Math.max(most, Math.abs(map.at(r, c) - means[1][r].reduce((sum, w, j) => sum + w * means[0][j][c], 0)));
        return most;
    })()""") < 0.01
    page.run("[...document.querySelectorAll('#choices button')].find((b) => b.textContent === 'mean').click()")
    page.wait("document.getElementById('named').textContent === 'layer 1, mean of 4 heads'")
    # lines, and what is saved
    page.run("[...document.querySelectorAll('#choices button')].find((b) => b.textContent === 'Lines').click()")
    page.wait("layout.kind === 'lines'")
    svg = xml.dom.minidom.parseString(page.run("svgOfWhatIsSeen()").encode())
    texts = [e.firstChild.data for e in svg.getElementsByTagName("text") if e.firstChild]
    assert "word7" in texts and "heads.npz" in texts, texts
    assert len(svg.getElementsByTagName("path")) > 20
    # the other ground
    before = page.run("getComputedStyle(document.documentElement).backgroundColor")
    page.click("#theme")
    assert page.run("getComputedStyle(document.documentElement).backgroundColor") != before
    t.clean(page)


def played(t):
    page = t.open(t.file("heads.html"), still=False)
    page.run("chooseRow(0)")
    page.click("#play")
    page.wait("state.row >= 2", 10)
    page.click("#play")
    assert not page.run("state.playing")
    t.clean(page)


def on_a_phone(t):
    page = t.open(t.file("heads.html"), 390, 844, scheme="light", touch=True)
    assert page.run("document.documentElement.scrollWidth") <= 390
    assert page.run("document.documentElement.dataset.theme") == "light"
    page.tap("#canvas", 0.9, 0.5)
    page.wait("state.column !== null")
    assert page.run("[...document.querySelectorAll('.tools button, #choices button, #play')].every((b) => b.offsetHeight >= 34)")
    # on white nothing is white, and the largest weight is dark
    assert luminance(page.run("[0, 8, 16].map((by) => (colors.table[0] >> by) & 255)")) > 245
    assert luminance(page.run("[0, 8, 16].map((by) => (colors.table[255] >> by) & 255)")) < 60
    page.pinch("#canvas", 0.6, 0.3, 60, 180)
    page.wait("Math.abs(state.zoom.scale - 3) < 0.2")
    t.picture(page, "phone")
    t.clean(page)


def over_a_picture(t):
    """The cell that looks looks at itself: it keeps its colours, and the picture around stays bright."""
    even_photograph(t.file("photograph.png"))
    values = array.array("f")
    for r in range(65):
        values.extend(0.8 if c == r else 0.2 / 64 for c in range(65))
    write_npz(t.file("vit.npz"), [1, 1, 1, 65, 65], values.tobytes())
    page = t.open(t.write("vit.html", "view", t.file("vit.npz"), t.file("photograph.png")))
    page.wait("layout.kind === 'picture'")
    page.click("#canvas", 2.5 / 8, 4.5 / 8)
    page.wait("state.row === 1 + 4 * 8 + 2")
    lit, rest = pixel(page, "#canvas", 2.5 / 8, 4.5 / 8), pixel(page, "#canvas", 6.5 / 8, 1.5 / 8)
    true_lit, true_rest = [200, 120 + 30, 60 + 54], [200, 120 + 78, 60 + 18]
    assert all(abs(a - b) < 14 for a, b in zip(lit, true_lit)), (lit, true_lit)
    assert luminance(rest) > 0.7 * luminance(true_rest), (rest, true_rest)
    t.picture(page, "picture")
    t.clean(page)


def looks_by_each_normalizer(t):
    """A picture that attends to itself: the query stays when another normalizer makes the weights, exact zeros among them."""
    even_photograph(t.file("looks.png"))
    page = t.open(t.write("looks.html", "view", t.file("looks.png"), "--tab", "picture", "--cells", "12", "--normalizer", "entmax15"))
    choose = "[...document.querySelectorAll('#choices button')].find((b) => b.textContent === '%s').click()"
    page.wait("layout.kind === 'picture'")
    assert page.run("document.getElementById('named').textContent") == "1.5-entmax attention"
    kept = {}
    page.run("chooseRow(77)")
    for name in ("softmax", "1.5-entmax", "sparsemax"):
        page.run(choose % name)
        page.wait(f"document.getElementById('named').textContent === '{name} attention' && map.rows === 144")
        assert page.run("state.row") == 77
        assert abs(page.run("map.row(77).reduce((a, b) => a + b)") - 1) < 0.03
        kept[name] = page.run("map.row(77).filter((w) => w > 0).length")
    assert kept["sparsemax"] < kept["1.5-entmax"] < kept["softmax"], kept
    page.run(choose % "Matrix")
    page.run(choose % "softmax")
    page.wait("document.getElementById('named').textContent === 'softmax attention' && layout.kind === 'matrix'")
    t.clean(page)


def generated(t):
    page = t.open(t.write("caption.html", "caption", "--scene", "42"))
    words = page.run("page.sentence").split()
    assert [page.run(f"document.querySelector('#sentence button:nth-of-type({i + 1})').textContent") for i in range(len(words))] == words
    page.click("#sentence button:nth-of-type(3)")
    assert words[2] in page.run("document.getElementById('readout').textContent")
    assert page.run("layout.kind") == "picture"
    xml.dom.minidom.parseString(page.run("svgOfWhatIsSeen()").encode())
    t.picture(page, "caption")
    # at the end it rests on the word that looked most narrowly, where there is one, and begins again from there
    assert page.run("page.rest") == -1
    for rest, ends in ((-1, len(words) - 1), (1, 1)):
        page.run(f"page.rest = {rest}; chooseRow(map.rows - 2); play()")
        page.wait("!state.playing")
        assert page.run("state.row") == ends
        page.click("#play")
        assert page.run("state.row") == 0 and page.run("state.playing")
        page.click("#play")
    t.clean(page)
    # what is no drawing: the page marks what the model doubts; of the square that the model sees the picture alone is shown
    even_photograph(t.file("evening.png"), 96, 60)
    page = t.open(t.write("evening.html", "caption", "--dataset", "book", t.file("evening.png")))
    assert page.run("layout.kind") == "picture" and page.run("page.words.length > 0")
    note = page.run("document.getElementById('note').textContent")
    assert page.run("page.doubt") and page.run("visible(page.doubt)") in note, note
    page.click("#sentence button:nth-of-type(2)")
    assert page.run("state.row") == 1
    assert abs(page.run("layout.width / layout.height") - 96 / 60) < 0.02
    assert abs(page.run("layout.box.width / layout.box.height") - 1) < 0.01
    page.run("state.look = 'heat'; drawFigure()")
    assert luminance(pixel(page, "#canvas", 0.97, 0.97)) > 0.6 * luminance([200, 120 + 93, 60 + 58])
    page.point("#canvas", 0.5, 0.01)
    page.wait("state.column !== null")
    assert 2 <= page.run("Math.floor(state.column / set().grid[0])") <= page.run("set().grid[1]") // 4
    xml.dom.minidom.parseString(page.run("svgOfWhatIsSeen()").encode())
    t.picture(page, "evening")
    t.clean(page)
    page = t.open(t.write("translation.html", "translate", "the red dog sees a cat", "--model", "transformer"))
    page.run("[...document.querySelectorAll('#choices button')].find((b) => b.textContent === 'encoder').click()")
    page.wait("document.getElementById('named').textContent.startsWith('encoder attention')")
    t.clean(page)


def other_weights(t):
    """Of queries and keys the page computes other weights: each number as softmax(score / temperature) of the arrays has it."""
    count, keys, dim, rng = 2, 6, 5, random.Random(3)
    query, key = ([rng.gauss(0, 1) for _ in range(count * keys * dim)] for _ in range(2))
    with zipfile.ZipFile(t.file("qk.npz"), "w") as file:
        for name, values in (("query", query), ("key", key)):
            file.writestr(name + ".npy", npy([1, count, keys, dim], "<f4", struct.pack(f"<{len(values)}f", *values)))
    page = t.open(t.write("qk.html", "view", t.file("qk.npz"), "--heads", "2"))

    def vector(values, head, i):
        return values[(head * keys + i) * dim:(head * keys + i + 1) * dim]

    def weights(head, score, temperature, causal):
        rows = []
        for r in range(keys):
            q, row = vector(query, head, r), []
            for c in range(keys):
                k = vector(key, head, c)
                dot = sum(a * b for a, b in zip(q, k))
                raw = {"dot": dot, "scaled-dot": dot / math.sqrt(dim), "gaussian": -0.5 * sum((a - b) ** 2 for a, b in zip(q, k))}[score]
                row.append(0 if causal and c > r else math.exp(raw / temperature))
            rows.append([x / sum(row) for x in row])
        return rows

    for head in range(count):
        page.run(f"choose({{ head: {head} }})")
        for score, temperature, causal in (("scaled-dot", 1, False), ("scaled-dot", 0.25, False), ("dot", 1, True), ("gaussian", 2.5, False), ("scaled-dot", 1, True)):
            own = "null" if score == "scaled-dot" else f"'{score}'"
            page.run(f"Object.assign(live, {{ temperature: {temperature}, mask: '{'causal' if causal else 'own'}', score: {own} }}); choose()")
            page.wait(f"map && choose.asked.endsWith(Object.values(live).join(',')) && state.head === {head}")
            time.sleep(0.2)
            shown = page.run("Array.from({ length: map.rows }, (_, r) => Array.from(map.row(r)))")
            for r, row in enumerate(weights(head, score, temperature, causal)):
                for c, right in enumerate(row):
                    level = math.sqrt(right) / 253 + 2e-5  # half of one of the eight bits in which the page shows it
                    assert abs(shown[r][c] - right) <= level, (head, score, temperature, causal, r, c, shown[r][c], right)
    # By hand: the slider, the mask and the score are on the page.
    page.run("(() => { const s = document.querySelector('input[aria-label=temperature]'); s.value = 20; s.dispatchEvent(new Event('input')); })()")
    page.wait("live.temperature === 3.16")
    page.run("[...document.querySelectorAll('#choices button')].find((b) => b.textContent === 'causal').click()")
    page.wait("live.mask === 'causal' && map.isMasked(0, 5)")
    assert page.run("thumbs.get('0-0-0')[0].map.isMasked(0, 5)"), "the small maps follow"
    t.picture(page, "other-weights")
    t.clean(page)


def hostile(t):
    count = len(HOSTILE)
    write_npz(t.file("hostile.npz"), [1, 1, 2, count, count], heads(1, 2, count), HOSTILE)
    page = t.open(t.write("hostile.html", "view", t.file("hostile.npz")))
    assert page.run("document.title").startswith("hostile.npz")
    assert page.run("document.querySelectorAll('img, iframe, object').length") == 0
    assert page.run("document.querySelectorAll('script').length") <= 3
    shown = page.run("document.querySelector('#sentence').textContent")
    assert HOSTILE[0] in shown and "\u202e" not in shown
    xml.dom.minidom.parseString(page.run("svgOfWhatIsSeen()").encode())
    t.clean(page)


def in_a_notebook(t):
    """The frame that saccade.show makes: nothing of the page around it is reached, and it works all the same."""
    with open(t.file("heads.html"), encoding="utf-8") as file:
        inside = html.escape(file.read(), quote=True)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/python/saccade/pages.py"), encoding="utf-8") as file:
        source = file.read()
    frame, fitted = (re.search(name + ' = """(.*?)"""', source, re.S).group(1) for name in ("_FRAME", "_FITTED"))
    with open(t.file("notebook.html"), "w", encoding="utf-8") as file:
        file.write('<!doctype html><meta charset="utf-8">' +
                   frame.format(name="one", text=inside, width="100%", height=300) + fitted.format(name="one"))
    page = t.browser.open("file://" + t.file("notebook.html"), 1100, 800)
    page.wait("document.readyState === 'complete'")
    page.wait("parseInt(document.getElementById('one').style.height) > 400")  # as high as the page, ...
    time.sleep(2)
    high = page.run("document.getElementById('one').style.height")
    time.sleep(1)
    assert high == page.run("document.getElementById('one').style.height") and int(high[:-2]) < 2000, high  # ... which does not grow
    t.picture(page, "notebook")
    t.clean(page)


def long_texts(t):
    """144 heads of 512 tokens: less than 25 MB, and soon there."""
    write_npz(t.file("long.npz"), [12, 1, 12, 512, 512], 72 * heads(1, 2, 512, 0.05))
    path = t.write("long.html", "view", t.file("long.npz"))
    assert os.path.getsize(path) <= 25e6, os.path.getsize(path)
    begin = time.monotonic()
    page = t.browser.open("file://" + path, 1280, 800)
    page.wait("document.body && document.body.dataset.ready !== undefined")
    print(f"long texts: {os.path.getsize(path) / 1e6:.1f} MB, shown after {time.monotonic() - begin:.2f} s")
    page.wait("document.body.dataset.ready === 'all'")
    t.clean(page)


def main():
    program = os.path.abspath(sys.argv[1])
    browser = Browser.find()
    if not browser:
        print("skipped: there is no Chromium (Debian's package chromium, or its path in SACCADE_BROWSER)")
        return 77
    folder = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="saccade-pages-")
    os.makedirs(folder, exist_ok=True)
    try:
        with browser:
            for trial in (heads_and_matrix, played, on_a_phone, over_a_picture, looks_by_each_normalizer, generated, other_weights, hostile, in_a_notebook, long_texts):
                trial(Trial(browser, program, folder))
                print(f"{trial.__name__}: right")
    finally:
        if len(sys.argv) < 3:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
