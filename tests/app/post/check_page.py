#!/usr/bin/env python3
"""check_page.py PAGE [TITLE]: checks that a report is strict and harmless.

It must be well-formed XML and HTML, with every tag closed, without scripts, event handlers and
references to anything outside. If Chromium is installed, it must load the page without messages.
"""

import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

VOID = {"br", "img", "meta"}
TAGS = VOID | {
    "a", "body", "circle", "div", "figcaption", "figure", "h1", "h2", "head", "header", "html", "li", "main", "p",
    "polyline", "pre", "rect", "section", "span", "strong", "style", "svg", "table", "tbody", "td", "text", "th",
    "thead", "title", "tr", "ul",
}
# Attributes that hold an address, with the addresses that are allowed.
ADDRESSES = {"src": r"data:image/(png|svg\+xml);base64,[A-Za-z0-9+/]+=*", "href": r"\./[A-Za-z0-9._%-]+"}


class Checker(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.text = {}

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS, f"unexpected tag {tag}"
        for name, value in attributes:
            assert not name.startswith("on") and name != "style", f"attribute {name}"
            if name in ADDRESSES:
                assert re.fullmatch(ADDRESSES[name], value), f"{name} = {value[:60]}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes another tag"

    def handle_data(self, data):
        if self.open:
            self.text[self.open[-1]] = self.text.get(self.open[-1], "") + data


def browser_messages(page):
    """What Chromium prints on its console while it loads the page, or None without Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        return None
    with tempfile.TemporaryDirectory() as profile:
        result = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             "--enable-logging=stderr", "--v=0", "--dump-dom", f"file://{os.path.abspath(page)}"],
            capture_output=True, timeout=120, check=False)
    assert b"</main>" in result.stdout, "Chromium does not show the page"
    lines = result.stderr.decode(errors="replace").splitlines()
    return [line for line in lines if "CONSOLE" in line]


def main():
    page = sys.argv[1]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert not checker.open, f"not closed: {checker.open}"
    xml.etree.ElementTree.fromstring(text)
    assert not re.search("https?:|url\\(|@import", text.split("<main>")[0]), "the head loads something"
    if len(sys.argv) > 2:
        assert checker.text["h1"] == sys.argv[2], checker.text["h1"]
    if "--browser" in sys.argv[3:]:
        messages = browser_messages(page)
        assert not messages, messages
        if messages is None:
            print("chromium is not installed, and not tried")


main()
