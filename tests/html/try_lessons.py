#!/usr/bin/env python3
"""try_lessons.py SACCADE [FOLDER] [LESSON…]: the page of each lesson in a headless Chromium. Every number that the page computes, at the
lesson's own settings, at the ends of each slider and where all are elsewhere, is compared with what the program computes there.
Screenshots go to FOLDER. 77: no Chromium."""
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(__file__))
from browser import Browser  # noqa: E402

CLOSE = 4e-6  # of a number, beside what rounding leaves of its terms: some last digits of float32

# Of each array its name, shape and numbers; what rounding leaves of its terms; how far off the last digit of a score makes an exp of it
# (1.2e-7 of the largest score); and what rounding leaves of the root of a square.
NUMBERS = """(() => {
  const built = build(data.lessons[0], %s);
  if (built.problem) return null;
  const exps = [10, 11, 24, 25], most = (a) => (a ? largestMagnitude(a.numbers) : 0);
  for (const a of built.arrays.slice(1)) {
    const [x, y] = a.inputs, of = (key) => Math.max(0, ...a.inputs.map((input) => (input ? input[key] : 0)));
    a.loose = of("loose") + (exps.includes(a.op) ? 1.2e-7 * most(x) : 0);
    a.root = a.op === 30 && a.f === 2 ? 1e-6 * Math.max(most(x), most(y))
           : a.op === 14 ? 2.4e-7 * a.f * Math.max(most(x), most(y)) : of("root");
  }
  return built.arrays.slice(1).filter((a) => %s).map((a) => [a.name, a.shape, a.noise, a.loose, a.root, Array.from(a.numbers).join(" ")]);
})()"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


def read_npz(path):
    arrays = {}
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            raw = file.read(name)
            begin = 10 + struct.unpack("<H", raw[8:10])[0]
            data = raw[begin:]
            assert b"<f4" in raw[:begin], name
            arrays[name.removesuffix(".npy")] = struct.unpack(f"<{len(data) // 4}f", data)
    return arrays


def write_picture(path, width=40, height=30):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in (6 * x, 8 * y, (x * y) % 256)) for y in range(height))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def same(a, b, noise, loose, root):
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= (CLOSE + loose) * abs(b) + noise + 2 * root * math.sqrt(abs(b)) + 1e-37


class Trial:
    def __init__(self, program, room, folder):
        self.program, self.room, self.folder = program, room, folder
        self.compared, self.failures = 0, []

    def check(self, what, good, note=""):
        if not good:
            self.failures.append(f"{what} {note}")
            print("not ok:", what, note, flush=True)

    def compare(self, page, name, parameters, stops, *given):
        settings = [f"{p['name']}={p['stops'][at]:.9g}" for p, at in zip(parameters, stops)]
        file = os.path.join(self.room, "numbers.npz")
        command = [self.program, "lesson", name, "--terminal", "--out", file]
        command += given
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True)
        where = f"{name} {' '.join(settings)}"
        # Drawings show a photograph that comes along, where it is there; the arrays of the command line have it by --from alone.
        along = "--from" not in given and page.run('data.lessons[0].records.some((r) => r.name === "sight")')
        shown = page.run(NUMBERS % (json.dumps(stops), '!a.name.startsWith("sight")' if along else "true"))
        if done.returncode != 0 or shown is None:
            self.check(where, done.returncode != 0 and shown is None, done.stderr)
            return
        expected = read_npz(file)
        if along:
            shown = [array for array in shown if array[0] in expected]
        else:
            self.check(where, len(shown) == len(expected), f"{len(shown)} arrays for {len(expected)}")
        for array, shape, noise, loose, root, text in shown:
            numbers, right = [float(t.replace("Infinity", "inf")) for t in text.split()], expected.get(array, ())
            wrong = [i for i, (a, b) in enumerate(zip(numbers, right)) if not same(a, b, noise, loose, root)]
            measured = name == "cost" and ("milliseconds" in array or array in ("times_the_dot", "of_the_dot"))
            self.check(where, len(numbers) == len(right) == math.prod(shape), f"{array}: {len(numbers)} numbers for {len(right)}")
            if not measured:
                self.check(where, not wrong, f"{array} {shape}: {len(wrong)} differ, " +
                           "; ".join(f"[{i}] {numbers[i]!r} is {right[i]!r}" for i in wrong[:3]))
            self.compared += len(numbers)

    def lesson(self, browser, name, *given):
        file = os.path.join(self.room, name + ".html")
        run(self.program, "lesson", name, "--out", file, *given)
        page = browser.open("file://" + file, 1280, 800)
        page.wait("document.body && document.body.dataset.ready !== undefined")
        parameters = page.run("data.lessons[0].parameters")
        own = [p["at"] for p in parameters]
        settings = [own]
        for i, p in enumerate(parameters):
            last = len(p["stops"]) - 1
            for at in sorted({0, last, (p["at"] + last) // 2} - {p["at"]}, key=lambda s: s == 0)[:2]:
                settings.append(own[:i] + [at] + own[i + 1:])
        rng = random.Random(name)
        if len(parameters) > 1:
            settings.append([rng.randrange(len(p["stops"])) for p in parameters])
        for stops in settings if not given else settings[:1] + settings[-1:]:  # of a photograph there are millions of numbers
            self.compare(page, name, parameters, stops, *given)
        self.check(name, not page.errors and not page.requests, f"{page.errors} {page.requests}")
        if self.folder:
            page.run("goTo(state.built.steps.length - 1)")
            page.picture(os.path.join(self.folder, name + ".png"))
        print(f"{name}: {len(settings)} settings, {os.path.getsize(file) // 1000} kB", flush=True)


    # What a student does: keys, a slider, a switch, the quiz, the theme, paper.
    def student(self, browser):
        file = os.path.join(self.room, "student.html")
        run(self.program, "lesson", "step-by-step", "--out", file)
        page = browser.open("file://" + file, 1280, 800)
        page.wait("document.body && document.body.dataset.ready !== undefined")
        steps = "document.querySelector('[aria-current=step]').textContent"
        for step in range(5):
            self.check("keys", page.run(steps).startswith(str(step + 1)), page.run(steps))
            self.texts(page, step)
            page.key("ArrowRight", 39)
        self.check("quiz", page.run(steps) == "Quiz", page.run(steps))
        for _ in range(page.run("quizLength()")):
            asked = page.run("state.lesson.questions[state.quiz.from + state.quiz.at]")
            hidden = page.run("document.querySelectorAll('td.hidden').length")
            self.check("quiz", (hidden > 0) == (not asked["choices"]), f"{asked} {hidden} hidden")
            if asked["choices"] or asked["kind"] == 0:
                page.click(f".answers button:nth-child({int(asked['answer']) + 1})")
            else:
                page.run(f"document.querySelector('.answers input').value = '{asked['answer']}'")
                page.click(".answers button")
            self.check("quiz", page.run("document.querySelector('.verdict').classList.contains('right')"), asked)
            page.click("#next")
        for _ in range(2):
            page.key("ArrowLeft", 37)
        page.click("#steps button:nth-child(4)")
        page.click("#controls button:nth-child(1)")
        page.run("(() => { const s = document.querySelector('#controls input'); s.value = 0; s.dispatchEvent(new Event('input')); })()")
        page.wait("state.stops[2] === 0")
        self.texts(page, 3, "causal=0", "temperature=0.05")
        page.run("document.querySelector('[data-cell=\"4\"].operand, .result [data-cell=\"4\"]').focus()")
        self.check("arithmetic", page.run("get('readout').textContent").startswith("weights[1,1] = exp("), page.run("get('readout').textContent"))
        self.check("arithmetic", page.run("document.querySelectorAll('.operand').length") == 3)
        page.key("ArrowRight", 39)
        self.check("keys", page.run("get('readout').textContent").startswith("weights[1,2]"), page.run("get('readout').textContent"))
        page.click("#reset")
        self.texts(page, 3)
        before = page.run("document.documentElement.dataset.theme")
        page.click("#theme")
        self.check("theme", page.run("document.documentElement.dataset.theme") not in (before, None))
        paper = page.call("Page.printToPDF", printBackground=True)["data"]
        self.check("paper", len(paper) > 20000 and not page.errors, page.errors)
        for kind in ("label", "input", "button", "svg[role=img]", "figure table"):
            named = page.run(f"[...document.querySelectorAll('{kind}')].every((e) => e.getAttribute('aria-label') || e.textContent.trim())")
            self.check("names for a screen reader", named, kind)

    # The numbers of a step stand there as the program prints them.
    def texts(self, page, step, *settings):
        printed = run(self.program, "lesson", "step-by-step", "--terminal", "--step", str(step + 1),
                      *[part for setting in settings for part in ("--set", setting)])
        rows = [line.split() for line in printed.splitlines() if line.startswith("    ")]
        shown = page.run("[...document.querySelectorAll('#main .arrays tbody tr')].map((r) => [...r.querySelectorAll('td')].map((d) => d.textContent))")
        self.check(f"step {step + 1} {settings}", shown == rows, f"{shown} for {rows}")

    def everything(self, browser):
        file = os.path.join(self.room, "lessons.html")
        run(self.program, "lesson", "--out", file, "--language", "zh")
        page = browser.open("file://" + file, 1280, 800, scheme="light")
        page.wait("document.body && document.body.dataset.ready !== undefined")
        self.check("all lessons", page.run("data.lessons.length") == page.run("document.querySelectorAll('#lessons option').length") > 20)
        self.check("all lessons", page.run("document.documentElement.lang") == "zh-CN" and page.run("document.documentElement.dataset.theme") == "light")
        drawn = page.run("""data.lessons.map((lesson) => {
          chooseLesson(lesson);
          const quiz = lesson.questions.length > 0;
          const bare = [];
          for (let step = 0; step < state.built.steps.length + quiz; step++) {
            goTo(step);
            const shown = state.built.steps[step], drawing = shown && shown.drawing && state.built.drawings[shown.drawing - 1];
            const any = drawing && (drawing.kind === BLOCK || drawing.marks.some((mark) => isNow(mark, step)));
            if (any && !document.querySelector("#main .drawing svg, #main .drawing canvas, #main .drawing table, #main .diagram svg")) bare.push(step + 1);
          }
          return [lesson.name, state.built.steps.length, quiz, bare];
        })""")
        self.check("drawings", not any(d[3] for d in drawn), [(d[0], d[3]) for d in drawn if d[3]])
        print(f"{len(drawn)} lessons, {sum(d[1] for d in drawn)} steps, {os.path.getsize(file) // 1000} kB", flush=True)
        self.check("all lessons", not page.errors and not page.requests, f"{page.errors} {page.requests}")


def main():
    program, folder, names = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "", sys.argv[3:]
    names = names or [line.split()[0] for line in run(program, "lesson", "--terminal").splitlines() if line.startswith("  ")]
    browser = Browser.find()
    if not browser:
        print("no Chromium")
        return 77
    with browser, tempfile.TemporaryDirectory() as room:
        trial = Trial(program, room, folder)
        trial.student(browser)
        for name in names:
            trial.lesson(browser, name)
        if not sys.argv[3:]:
            trial.everything(browser)
        picture = os.path.join(room, "picture.png")
        write_picture(picture)
        for name in sorted({"image-as-set", "saccade"} & set(names)):
            trial.lesson(browser, name, "--from", picture)
    print(f"{trial.compared} numbers of {len(names)} lessons compared, {len(trial.failures)} failures")
    return 1 if trial.failures or not trial.compared else 0


sys.exit(main())
