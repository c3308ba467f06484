"""tutorials_test.py PROGRAM SOURCE_DIR MPIEXEC: the tutorials, a recipe and README.md work as they are written.

Each page is followed in a directory of its own: files that the reader is to write or to extend are written,
and blocks of shell commands run. Each line of a block without a language that follows such commands must occur in
their output; "…" stands for any text. A comment <!-- check: FILE COLUMN NUMBER --> compares the last row of a table
with a number of the page, to the digits that it has. Commands that install, build or submit are left out.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = ("tutorials/first-case.md", "tutorials/wall.md", "tutorials/chip-on-board.md", "tutorials/cluster.md",
         "tutorials/quench.md", "how-to/electrostatics.md", "how-to/materials.md", "../README.md")
LEFT_OUT = re.compile(r"jobs/quickstart\.sh|pip |sbatch|squeue|python3 -c")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"<!-- check: (\S+) (\S+) (\S+) -->")
# Exit code 3, a tolerance that is not reached, is for the page to explain.
SHELL = "trap 'code=$?; ((code == 3)) || exit $code' ERR\n"


class Follower:
    """Follows one page in a directory."""

    def __init__(self, page, directory, environment):
        self.page, self.directory, self.environment = page, directory, environment
        self.output, self.has_run = "", False
        self.faults, self.checked = [], 0

    def follow(self):
        text = self.page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            before = text[:block.start()].rstrip().rsplit("\n\n", 1)[-1]
            self.do(block.group(1), block.group(2), before)
        for file, column, number in CHECK.findall(text):
            self.compare(file, column, number, CHECK.sub("", text))

    def do(self, language, body, before):
        written = re.search(r"[Ww]rite this file as `([\w.-]+)`", before)
        if language == "toml" and written:
            (self.directory / written.group(1)).write_text(body, encoding="utf-8")
            self.newest = written.group(1)
        elif language == "toml" and "Append it to the file" in before:
            with open(self.directory / self.newest, "a", encoding="utf-8") as file:
                file.write("\n" + body)
        elif language == "sh" and not LEFT_OUT.search(body):
            self.run(body)
        elif language == "" and self.has_run:
            self.find(body)

    def run(self, commands):
        done = subprocess.run(["bash", "-c", SHELL + commands], cwd=self.directory, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=600)
        self.output, self.has_run = done.stdout, True
        if done.returncode != 0:
            self.faults.append(f"exit code {done.returncode}:\n{commands}{done.stdout}")

    def find(self, lines):
        for line in filter(None, map(str.strip, lines.splitlines())):
            pattern = ".*".join(r"\s+".join(map(re.escape, part.split())) for part in line.split("…"))
            self.checked += 1
            if not re.search(pattern, self.output):
                self.faults.append(f"the output does not have the line\n  {line}\nbut is\n{self.output}")

    def compare(self, file, column, number, text):
        self.checked += 1
        with open(self.directory / file, encoding="utf-8") as table:
            value = float(list(csv.DictReader(table))[-1][column])
        digits = len(number.partition(".")[2])
        if f"{value:.{digits}f}" != number and abs(value - float(number)) > 0.6 * 10.0**-digits:
            self.faults.append(f"{file}: {column} is {value}, not {number}")
        if number.lstrip("-") not in text:
            self.faults.append(f"{number} is checked, but the page does not have it")


def environment_for(program, mpiexec, folder):
    """The environment in which `isotherm` and `mpirun` are those under test."""
    names = {"isotherm": program, "mpirun": mpiexec}
    for name, file in names.items():
        (folder / name).symlink_to(Path(file).resolve() if name == "isotherm" else file)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def main():
    program, source, mpiexec = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "bin").mkdir()
        environment = environment_for(program, mpiexec, folder / "bin")
        for name in PAGES:
            directory = folder / Path(name).stem
            directory.mkdir()
            (directory / "jobs").symlink_to(Path(source).resolve() / "jobs")
            follower = Follower(Path(source) / "docs" / name, directory, environment)
            follower.follow()
            if not follower.has_run or (name.startswith("tutorials/") and follower.checked == 0):
                follower.faults.append("nothing of this page was checked")
            print(f"{name}: {follower.checked} lines and numbers checked, {len(follower.faults)} wrong")
            for fault in follower.faults:
                print(f"FAILED: {name}: {fault}")
            failed += len(follower.faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
