#!/usr/bin/env python3
"""Writes the parts of the reference that come from the code, or checks that they are current.

    generate.py [--check] BUILD_DIR [PART...]     PART: command-line keys python (default: all)

command-line  docs/reference/command-line.md, from the output of `isotherm COMMAND --help`
keys          the tables "Types and examples" of the pages of the case file, from the schema in the code
python        the classes and functions of docs/reference/python.md, from the docstrings of python/isotherm

With --check nothing is written; the exit code is 1 if a page is not current.
"""

import ast
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
HELP_COLUMN = 30  # where --help begins its explanations

# The sections of the schema that a page describes. The keys of shapes are the same in all regions.
PAGES_OF_KEYS = {
    "constants": ["constants"],
    "grid": ["grid", "grid.*", "grid.*.segments"],
    "equation": ["equation"],
    "material": ["material"],
    "source": ["source"],
    "contact": ["contact"],
    "fixed": ["fixed", "insulated"],
    "convection": ["convection", "radiation"],
    "regions": [],
    "boundary": ["boundary", "boundary.*", "boundary.patch"],
    "initial": ["initial", "initial.box", "initial.gaussian"],
    "method": ["method", "method.time_steps"],
    "output": ["output", "output.picture_slice", "output.picture_box", "output.cut"],
    "probe": ["probe", "probe.plane"],
    "checkpoint": ["checkpoint"],
    "run": ["run"],
    "values-in-files": ["*.*"],
}
SHAPES = (".box", ".ball", ".cylinder", ".stl")
REGION_KEYS = ("where", "box", "ball", "cylinder", "stl")


def cell(text):
    """A text within a table."""
    return text.replace("|", "\\|").strip()


def code(text):
    return f"`{cell(text)}`" if text else ""


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


# --- the command line ---------------------------------------------------------------------------------------


def help_of(program, *words):
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def entries(lines):
    """The names and explanations of a list in the output of --help."""
    found = []
    for i, line in enumerate(lines):
        if line.startswith(" " * HELP_COLUMN):
            found[-1][1] = line.strip()
        elif i + 1 < len(lines) and lines[i + 1].startswith(" " * HELP_COLUMN):
            found.append([line.strip(), ""])
        else:
            found.append([line[:HELP_COLUMN].strip(), line[HELP_COLUMN:].strip()])
    return found


def lists_of(text):
    """The lists of --help by their titles, and what stands before them."""
    before, *lists = re.split(r"\n(Positionals|Options|Subcommands):\n", text)
    names, bodies = lists[::2], lists[1::2]
    return before, {name: entries(body.split("\n\n")[0].splitlines()) for name, body in zip(names, bodies)}


def option(name):
    """An option, with the options that it excludes in a second line."""
    name, _, excluded = name.partition(" Excludes: ")
    name = name.replace(" REQUIRED", " (required)")
    text = code(name.replace(" (required)", "")) + (" (required)" if "(required)" in name else "")
    return text + (f"<br>not with {', '.join(map(code, excluded.split()))}" if excluded else "")


def command_page(program):
    before, lists = lists_of(help_of(program))
    parts = ["# The command line\n",
             "This page is generated from `isotherm COMMAND --help`. `man isotherm` shows the same, with the environment "
             "variables. The [exit codes](exit-codes.md) have a page of their own.\n",
             table(["command", ""], [[f"[`{name}`](#isotherm-{name})", cell(text)]
                                     for name, text in lists["Subcommands"] if name != "help"])]
    for name, _ in lists["Subcommands"]:
        if name != "help":
            parts += command(program, name)
    return "\n".join(parts)


def command(program, *words):
    before, lists = lists_of(help_of(program, *words))
    first, usage = before.strip().split("\nUsage: ", 1)
    title = "#" * (len(words) + 1) + " isotherm " + " ".join(words)
    parts = [f"{title}\n", f"{first.strip()}.\n", f"```\n{usage.strip()}\n```\n"]
    rows = [[option(name), cell(text)] for kind in ("Positionals", "Options") for name, text in lists.get(kind, [])
            if not name.startswith("-h,")]
    if rows:
        parts.append(table(["argument or option", "meaning"], rows))
    for name, _ in lists.get("Subcommands", []):
        parts += command(program, *words, name)
    return parts


# --- the keys of the case file ------------------------------------------------------------------------------


def read_keys(manual):
    done = subprocess.run([manual, "keys"], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def rows_of_keys(keys, section):
    rows = []
    for at, key, values, example, words in keys:
        if at != section or (key in REGION_KEYS and at != "regions"):
            continue
        name = "any name" if key == "*" else code(key)
        allowed = ", ".join(code(f'"{word}"') for word in words.split())
        rows.append([name, cell(values), allowed, code(example)])
    return rows


def key_tables(keys, page):
    head = ["key", "value", "words", "example"]
    if page == "regions":
        one = [key for key in keys if key[0] == "material"]
        rows = [[code(key[1]), cell(key[2]), "", code(key[3])] for key in one if key[1] in REGION_KEYS]
        rows += [[code(key[0].removeprefix("material.") + "." + key[1]), cell(key[2]),
                  ", ".join(code(f'"{word}"') for word in key[4].split()), code(key[3])]
                 for key in keys if key[0].startswith("material.")]
        return table(head, rows)
    parts = []
    for section in PAGES_OF_KEYS[page]:
        rows = rows_of_keys(keys, section)
        if rows:
            title = {"*.*": "A table that names a file"}.get(section, f"`{section}`")
            parts.append(f"{title}:\n\n" + table(head, rows))
    return "\n".join(parts)


def pages_of_keys(manual):
    keys = read_keys(manual)
    known = {section for sections in PAGES_OF_KEYS.values() for section in sections} | {""}
    missing = {key[0] for key in keys if not key[0].endswith(SHAPES) or key[0].startswith("initial")} - known
    if missing:
        sys.exit(f"generate.py: no page of docs/reference/case-file has the sections {', '.join(sorted(missing))} "
                 "of the schema: add them to PAGES_OF_KEYS")
    for page in PAGES_OF_KEYS:
        file = REFERENCE / "case-file" / f"{page}.md"
        require_explanations(file, keys, PAGES_OF_KEYS[page])
        yield file, between_marks(file, key_tables(keys, page))


def require_explanations(file, keys, sections):
    """Requires that the text of a page, without the generated tables, names each key of its sections."""
    text = file.read_text(encoding="utf-8").partition(BEGIN)[0]
    missing = [f"{section}.{key}" for section, key, *_ in keys
               if section in sections and key != "*" and not re.search(rf"\b{re.escape(key)}\b", text)]
    if missing:
        sys.exit(f"FAILED: {file.relative_to(ROOT)} does not explain {', '.join(missing)}")


# --- the Python package -------------------------------------------------------------------------------------


def public_of(module):
    tree = ast.parse((ROOT / "python" / "isotherm" / f"{module}.py").read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]


def signature(node, name=None):
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    returns = "" if node.returns is None or node.name == "__init__" else f" -> {ast.unparse(node.returns)}"
    line = f"{name or node.name}({arguments}){returns}"
    if len(line) > 100:
        parts = ",\n    ".join(split_arguments(arguments))
        line = f"{name or node.name}(\n    {parts}){returns}"
    return f"```python\n{line}\n```\n"


def split_arguments(text):
    """Splits at the commas outside of brackets."""
    parts, depth, last = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return [*parts, text[last:].strip()]


def prose(node):
    """The docstring as Markdown: what is indented is code."""
    text = ast.get_docstring(node)
    if not text:
        sys.exit(f"generate.py: {node.name} has no docstring")
    parts = []
    for block in text.split("\n\n"):
        indented = block.startswith("    ")
        parts.append(f"```python\n{textwrap.dedent(block)}\n```" if indented else block)
    return "\n\n".join(parts).replace("```\n\n```python\n", "\n") + "\n"


def is_property(node):
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def members(node):
    return [one for one in node.body
            if isinstance(one, ast.FunctionDef) and not one.name.startswith("_") and ast.get_docstring(one)]


def class_text(node, name):
    start = next(one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    parts = [f"### {name}\n", *([] if name == "Result" else [signature(start, f"isotherm.{name}")]), prose(node)]
    attributes = [one for one in members(node) if is_property(one)]
    rows = [[code(one.name), code(ast.unparse(one.returns)) if one.returns else "",
             cell(" ".join(prose(one).split()))] for one in attributes]
    parts.append(table(["attribute", "type", "meaning"], rows))
    for one in members(node):
        if not is_property(one):
            parts += [signature(one), prose(one)]
    return "\n".join(parts)


def python_text():
    nodes = {node.name: node for module in ("case", "solver", "result", "series", "sweeps") for node in public_of(module)}
    parts = []
    for name in ("run", "sweep", "open"):
        node = nodes["open_directory" if name == "open" else name]
        parts += [f"### {name}\n", signature(node, f"isotherm.{name}"), prose(node)]
    parts += [class_text(nodes[name], name) for name in ("Case", "Solver", "Result")]
    return "\n".join(parts)


# --- writing, checking --------------------------------------------------------------------------------------

BEGIN, END = "<!-- generated by docs/site/generate.py -->", "<!-- end of what is generated -->"


def between_marks(file, text):
    before, mark, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        sys.exit(f"generate.py: {file} lacks the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{text}\n{END}{after}"


def generate(build, part):
    if part == "command-line":
        yield REFERENCE / "command-line.md", command_page(build / "isotherm")
    elif part == "keys":
        yield from pages_of_keys(build / "manual" / "isotherm_manual")
    elif part == "python":
        yield REFERENCE / "python.md", between_marks(REFERENCE / "python.md", python_text())
    else:
        sys.exit(f"generate.py: there is no part {part}")


def main(words):
    check = "--check" in words
    words = [word for word in words if word != "--check"]
    if not words:
        sys.exit(__doc__)
    stale = 0
    for part in words[1:] or ("command-line", "keys", "python"):
        for file, text in generate(Path(words[0]), part):
            if file.exists() and file.read_text(encoding="utf-8") == text:
                continue
            stale += 1
            if check:
                print(f"FAILED: {file.relative_to(ROOT)} is not current: run docs/site/generate.py BUILD_DIR")
            else:
                file.write_text(text, encoding="utf-8")
                print(f"wrote {file.relative_to(ROOT)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
