"""examples_test.py PROGRAM MANUAL SOURCE_DIR: the examples of case files on all pages are valid.

Each block "toml" may contain only keys of the schema, which MANUAL prints. A block that is a whole case must be
accepted by `isotherm run --dry-run`. Blocks of the tutorials and of the verification are left to their own tests.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

BLOCK = re.compile(r"^( *)```toml\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
FOLLOWED = ("tutorials/", "verification.md")
WHOLE = {"grid", "equation", "boundary"}
AXES = ("grid.x", "grid.y", "grid.z")
# Keys whose values are functions, so that a table there names a file.
FILE_KEYS = {"file", "dataset", "above", "below", "stretch"}
# The same for functions of u; each table has one of them alone.
TABLE_KEYS = ({"table"}, {"enthalpy"})


class Schema:
    """The keys that each section may have."""

    def __init__(self, manual):
        self.keys = {}
        lines = subprocess.run([manual, "keys"], capture_output=True, text=True, check=True).stdout.splitlines()
        for section, key, *_ in (line.split("\t") for line in lines):
            self.keys.setdefault(section, set()).add(key)

    def section_of(self, path):
        """The section of the schema for the table at a path."""
        if path in AXES:
            return "grid.*"
        if path.startswith("grid.") and path.endswith(".segments"):
            return "grid.*.segments"
        if path.startswith("boundary.") and not path.startswith("boundary.patch"):
            return "boundary.*"
        return path

    def faults(self, table, path=""):
        """The keys of a table that the schema does not know."""
        if path and ("file" in table and set(table) <= FILE_KEYS or set(table) in TABLE_KEYS):
            return []
        known = self.keys.get(self.section_of(path), set())
        found = [f"{path}.{key}".lstrip(".") for key in table if key not in known and "*" not in known]
        for key, value in table.items():
            inner = f"{path}.{key}".lstrip(".")
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict) and inner not in found:
                    found += self.faults(one, inner)
        return found


def dry_run(program, text):
    """Why the program does not accept a case; None if it does."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "case.toml").write_text(text, encoding="utf-8")
        done = subprocess.run([program, "run", "case.toml", "--dry-run", "--quiet"], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout if done.returncode else None


def is_made(refused, page_text):
    """Whether a refused case lacks a file that its page makes with NumPy."""
    return any(f"{file}: no such file" in refused for file in re.findall(r'np\.save\("([^"]+)"', page_text))


def main():
    program, manual, source = sys.argv[1:]
    schema, faults, blocks, cases = Schema(manual), [], 0, set()
    docs = Path(source) / "docs"
    for page in [Path(source) / "README.md", *sorted(docs.rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            name = f"{page.relative_to(source)}:{text[:block.start()].count(chr(10)) + 1}"
            body = re.sub(f"^{block.group(1)}", "", block.group(2), flags=re.MULTILINE)
            try:
                table = tomllib.loads(body)
            except tomllib.TOMLDecodeError as fault:
                faults.append(f"{name}: {fault}")
                continue
            if "plan" in table:  # a table of kernel variants
                continue
            blocks += 1
            faults += [f"{name}: {key} is not a key of a case" for key in schema.faults(table)]
            followed = page.is_relative_to(docs) and str(page.relative_to(docs)).startswith(FOLLOWED)
            if WHOLE <= set(table) and body not in cases and not followed:
                cases.add(body)
                refused = dry_run(program, body)
                faults += [f"{name}: {refused}"] if refused and not is_made(refused, text) else []
    if blocks < 30 or len(cases) < 3:
        faults.append("there are too few examples: has their form changed?")
    for fault in faults:
        print(f"FAILED: {fault}")
    print(f"{blocks} examples, {len(cases)} of them whole cases")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
