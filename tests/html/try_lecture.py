#!/usr/bin/env python3
"""try_lecture.py SACCADE [FOLDER]: a lecture as one page in a headless Chromium. It is walked by the keys of a clicker, also while the page of
a stop has the focus; with shift these are the stop's. Screenshots go to FOLDER. 77: no Chromium."""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(__file__))
from browser import Browser  # noqa: E402

STOPS = [
    {"title": "Why divide", "note": "Ask first: what if d grows?", "shows": {"view": "lesson", "lesson": "why-scale", "step": "2"}},
    {"title": "Heads", "shows": {"view": "heads", "file": "sample: A sentence in 48 heads", "layer": "3", "head": "5"}},
    {"title": "Gallery", "shows": {"view": "matrix", "file": "sample: A sentence in 48 heads", "layout": "figure"}},
    {"title": "A photograph", "shows": {"view": "caption", "file": "gone.png"}},
]
INSIDE = "shown[at].contentWindow.document"


def main():
    program, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    browser = Browser.find()
    if not browser:
        print("no Chromium")
        return 77
    with tempfile.TemporaryDirectory() as room, browser:
        with open(os.path.join(room, "talk.lecture"), "w", encoding="utf-8") as file:
            json.dump({"saccade lecture": 1, "title": "A talk", "stops": STOPS}, file)
        done = subprocess.run([program, "lecture", "talk.lecture", "--out", "talk.html"], cwd=room, capture_output=True, text=True)
        assert done.returncode == 0 and "gone.png is not available" in done.stderr, done.stderr
        page = browser.open("file://" + os.path.join(room, "talk.html"), 1280, 800)

        def see(stop, expression):
            page.wait(f"typeof at !== 'undefined' && at === {stop} && ({expression})")
            assert page.run("document.getElementById('note').textContent") == STOPS[stop].get("note", "")
            if folder:
                page.picture(os.path.join(folder, f"lecture-{stop + 1}.png"))

        see(0, f"{INSIDE}.body?.dataset.ready !== undefined && document.activeElement.tagName === 'IFRAME'")
        assert page.run(f"{INSIDE}.querySelector('h1').textContent") == "Why divide by √d"
        page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", modifiers=8)  # shift: the lesson's next step
        page.wait("shown[0].contentWindow.document.querySelector('#main h2').textContent.startsWith('3')")
        page.key("ArrowRight")
        see(1, f"{INSIDE}.querySelector('canvas') && document.activeElement.tagName === 'IFRAME'")
        page.key("PageDown")
        see(2, "shown[2].tagName === 'IMG' && shown[2].naturalWidth > 0")
        page.key("ArrowRight")
        see(3, "shown[3].textContent.includes('gone.png is not available')")
        page.key("ArrowRight")  # there is no other
        see(3, "true")
        for _ in range(3):
            page.key("PageUp")
        see(0, "shown[0].contentWindow.document.querySelector('#main h2').textContent.startsWith('3')")  # as it was left
        assert page.run("shown.filter((part) => part && !part.hidden).length") == 1
        assert not page.errors and not page.requests, (page.errors, page.requests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
