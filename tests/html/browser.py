"""A headless Chromium, driven over its DevTools protocol through two pipes: Python alone, no packages.

    with Browser.find() as browser:          # None where there is no Chromium
        page = browser.open("file:///…", 1280, 800)
        page.run("document.title")           # the value of an expression, or of its promise
        page.click("#save"); page.point("#canvas", 0.5, 0.5)
        page.picture("out.png")
        page.errors                          # what the console complained of
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="saccade-browser-")
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + self.profile,
                   "--no-first-run", "--disable-background-networking", "--disable-component-update", "about:blank"]

        def pipes():  # the browser reads commands from 3 and writes answers to 4
            os.dup2(to_read, 13)
            os.dup2(from_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)
        self.process = subprocess.Popen(command, preexec_fn=pipes, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.to, self.answers = to_write, from_read
        self.rest, self.number, self.events = b"", 0, []

    @staticmethod
    def find():
        program = os.environ.get("SACCADE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
        return Browser(program) if program else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        os.close(self.answers)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, seconds=120, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.receive(seconds)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width, height, scheme="dark", touch=False, still=True):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(domain + ".enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        if touch:
            page.call("Emulation.setTouchEmulationEnabled", enabled=True)
        page.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])
        page.call("Page.navigate", url=url)
        return page


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {expression}; {self.errors}")
            time.sleep(0.02)

    def events(self, *methods):
        return [e["params"] for e in self.browser.events if e.get("sessionId") == self.session and e.get("method") in methods]

    @property
    def errors(self):
        messages = [e["entry"]["text"] for e in self.events("Log.entryAdded") if e["entry"]["level"] in ("error", "warning")]
        messages += [json.dumps(e["exceptionDetails"].get("exception", e["exceptionDetails"]))[:400] for e in self.events("Runtime.exceptionThrown")]
        messages += [str(e["args"])[:400] for e in self.events("Runtime.consoleAPICalled") if e["type"] in ("error", "warning", "assert")]
        return messages

    @property
    def requests(self):
        """Addresses that were asked for, but for the page's own and what is inside it."""
        urls = [e["request"]["url"] for e in self.events("Network.requestWillBeSent")]
        return [u for u in urls if not u.startswith(("file:", "data:", "blob:", "about:"))]

    def place(self, selector, x=0.5, y=0.5):
        box = self.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'nearest'}});"
                       "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
        return box[0] + x * box[2], box[1] + y * box[3]

    def point(self, selector, x=0.5, y=0.5):
        px, py = self.place(selector, x, y)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=px, y=py)

    def click(self, selector, x=0.5, y=0.5):
        px, py = self.place(selector, x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=px, y=py, button="left", clickCount=1)

    def tap(self, selector, x=0.5, y=0.5):
        px, py = self.place(selector, x, y)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": px, "y": py}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def pinch(self, selector, x, y, before, after):
        """Two fingers around a place, whose distance goes from `before` to `after` pixels."""
        px, py = self.place(selector, x, y)

        def points(apart):
            return [{"x": px - apart / 2, "y": py, "id": 0}, {"x": px + apart / 2, "y": py, "id": 1}]
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(before))
        for step in range(1, 6):
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(before + (after - before) * step / 5))
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, name, code=0):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code)

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
