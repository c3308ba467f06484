#!/usr/bin/env python3
"""Solves cases with known solutions on several grids, and compares them.

    verification.py PROGRAM             writes the tables of docs/verification.md and the plots in docs/images
    verification.py PROGRAM --check     checks that the tables are current, to 5 % of each error

Each case is a section of docs/verification.md with a block "toml" and a comment
<!-- verify: NAME KEY=VALUE;... | KEY=VALUE;... | exact EXACT of FILE COLUMN | x NAME NUMBERS -->, which gives the
keys that change from grid to grid, the exact number, and what the horizontal axis of the plot shows.
"""

import csv
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "verification.md"
IMAGES = ROOT / "docs" / "images"
MARK = re.compile(r"<!-- verify: (\S+) \| exact (.+?) of (\S+) (\S+) \| x (.+?) -->\n(.*?)<!-- end -->", re.DOTALL)
TOLERANCE = 0.05
# An error below this share of the exact number is rounding, or what the tolerance leaves.
NEGLIGIBLE = 1e-7


class Study:
    """One case on several grids."""

    def __init__(self, name, exact, file, column, horizontal):
        self.name, self.file, self.column = name, file, column
        self.exact = eval(exact, {"__builtins__": {}}, vars(math))  # noqa: S307: of our own page
        label, *steps = (part.strip() for part in horizontal.split(";"))
        self.label = label
        self.steps = [step.split(" -> ") for step in steps]
        self.errors = []

    def run(self, program, case, folder):
        (folder / f"{self.name}.toml").write_text(case, encoding="utf-8")
        for i, (_, keys) in enumerate(self.steps):
            sets = [word for key in keys.split(" & ") for word in ("--set", key)]
            output = folder / f"{self.name}-{i}"
            subprocess.run([program, "run", f"{self.name}.toml", "--output", str(output), "--quiet", *sets,
                            "--set", "output.picture=false"], cwd=folder, check=True)
            with open(output / self.file, encoding="utf-8") as table:
                value = float(list(csv.DictReader(table))[-1][self.column])
            self.errors.append(abs(value / self.exact - 1) if self.exact else abs(value))

    def table(self):
        lines = [f"| {self.label} | relative error | order |", "| --- | --- | --- |"]
        for i, (step, _) in enumerate(self.steps):
            order = ""
            if i and min(self.errors[i - 1:i + 1]) > NEGLIGIBLE:
                ratio = float(self.steps[i - 1][0]) / float(step)
                order = f"{math.log(self.errors[i - 1] / self.errors[i]) / math.log(ratio):.1f}"
            lines.append(f"| {step} | {self.printed(i)} | {order} |")
        return "\n".join(lines) + "\n"

    def printed(self, i):
        return f"{self.errors[i]:.1e}" if self.errors[i] > NEGLIGIBLE else f"below {NEGLIGIBLE:.0e}"


def is_current(study, table):
    """Whether each error of the table is that of the study."""
    rows = [line.split(" | ") for line in table.strip().splitlines()[2:]]
    if [row[0].strip("| ") for row in rows] != [step for step, _ in study.steps]:
        return False
    for i, row in enumerate(rows):
        if row[1].startswith("below"):
            if study.errors[i] > NEGLIGIBLE:
                return False
        elif abs(study.errors[i] / float(row[1]) - 1) > TOLERANCE:
            return False
    return True


# --- plots --------------------------------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 420, 280, 70, 45, 15, 15


def decades(values):
    return math.floor(math.log10(0.4 * min(values))), math.ceil(math.log10(max(values)))


def plot(study):
    """The errors over the steps, both logarithmic, with a line of second order, as SVG."""
    steps = [float(step) for step, _ in study.steps]
    (x0, x1), (y0, y1) = (math.log10(min(steps)) - 0.1, math.log10(max(steps)) + 0.1), decades(study.errors)

    def at(step, error):
        across = (math.log10(step) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
        up = (math.log10(error) - y0) / (y1 - y0) * (HEIGHT - BOTTOM - TOP)
        return f"{LEFT + across:.1f},{HEIGHT - BOTTOM - up:.1f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             f'font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for decade in range(y0, y1 + 1):
        y = at(steps[0], 10.0**decade).split(",")[1]
        parts.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">10<tspan dy="-5" font-size="9">'
                     f'{decade}</tspan></text>')
    for step, (text, _) in zip(steps, study.steps):
        x = at(step, 10.0**y0).split(",")[0]
        parts.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{text}</text>')
    second = [(step, 0.4 * study.errors[0] * (step / steps[0])**2) for step in (steps[0], steps[-1])]
    if second[-1][1] >= 10.0**y0:  # below the curve, so that both are visible
        parts.append(f'<path d="M{at(*second[0])}L{at(*second[1])}" stroke="#999" stroke-dasharray="5 4"/>')
    points = [at(step, error) for step, error in zip(steps, study.errors)]
    parts.append(f'<path d="M{"L".join(points)}" fill="none" stroke="#1f5fa8" stroke-width="2"/>')
    parts += [f'<circle cx="{p.split(",")[0]}" cy="{p.split(",")[1]}" r="4" fill="#1f5fa8"/>' for p in points]
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{study.label}</text>'
                 f'<text transform="translate(16 {(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)" text-anchor="middle">'
                 "relative error</text></svg>")
    return "\n".join(parts) + "\n"


def case_before(text, place):
    """The block of TOML before a place of the page."""
    return re.findall(r"^```toml\n(.*?)^```$", text[:place], re.MULTILINE | re.DOTALL)[-1]


def main():
    program, check = str(Path(sys.argv[1]).resolve()), "--check" in sys.argv
    text, failed, done = PAGE.read_text(encoding="utf-8"), 0, []
    with tempfile.TemporaryDirectory() as temporary:
        for found in MARK.finditer(text):
            study = Study(*found.groups()[:5])
            study.run(program, case_before(text, found.start()), Path(temporary))
            done.append((found, study))
            print(f"{study.name}: {', '.join(study.printed(i) for i in range(len(study.steps)))}")
            if check and not is_current(study, found.group(6)):
                print(f"FAILED: the table of {study.name} in docs/verification.md is not current: "
                      "run docs/site/verification.py PROGRAM")
                failed = 1
    if not done:
        sys.exit("FAILED: docs/verification.md has no cases")
    if not check:
        for found, study in reversed(done):
            text = text[:found.start(6)] + study.table() + text[found.end(6):]
            if min(study.errors) > NEGLIGIBLE:
                (IMAGES / f"verification-{study.name}.svg").write_text(plot(study), encoding="utf-8")
        PAGE.write_text(text, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
