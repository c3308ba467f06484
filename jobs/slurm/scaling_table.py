#!/usr/bin/env python3
"""scaling_table.py FILE_OR_DIRECTORY...

Combines the files of `isotherm bench scaling --json` into tables: one table per problem, one row per
number of ranks. Numbers are medians over the files; "apart" is the spread of the times, (slowest -
fastest) / median; "halos" the share of a step beyond the time that the parts take alone, without
neighbours. Efficiencies are relative to the smallest number of ranks of the same run, one if the grid
fits there. Needs only Python 3.6.
"""
import json
import pathlib
import statistics
import sys

NUMBERS = (("ms per step", "ms_per_iteration", ".4f"), ("GCell/s", "gcells_per_second", ".1f"),
           ("efficiency", "efficiency", ".1%"), ("halos", "share_of_halos", ".1%"))
COLUMNS = ("ranks",) + tuple(n[0] for n in NUMBERS) + ("apart", "runs", "transport", "plan")


def files(names):
    for path in map(pathlib.Path, names):
        yield from sorted(path.glob("*.json")) if path.is_dir() else [path]


def text(key, value):
    if isinstance(value, list):
        return " x ".join(map(str, value))
    return value if isinstance(value, str) else "{} {}".format(key, value)


def problem(run, row):
    """The name of the problem: all values of a file except its rows and its number of ranks."""
    words = [text(k, v) for k, v in run.items() if k not in ("ranks", "rows") and v]
    return "{} scaling, {}: {}".format(row["scaling"], row["precision"], ", ".join(words))


def gather(names):
    tables = {}
    for file in files(names):
        try:
            run = json.loads(file.read_text())
            rows = [(problem(run, row), row["ranks"], row) for row in run["rows"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            print("ignored: {}: {!r}".format(file, error), file=sys.stderr)
            continue
        for heading, ranks, row in rows:
            tables.setdefault(heading, {}).setdefault(ranks, []).append(row)
    return tables


def number(values, form):
    values = [v for v in values if v is not None]
    return format(statistics.median(values), form) if values else "-"


def words(runs, key):
    return " / ".join(sorted({run[key] for run in runs}))


def line(ranks, runs):
    measured = [run for run in runs if not run.get("obstacle")]
    if not measured:
        return (str(ranks),) + ("-",) * len(NUMBERS) + ("-", "0", words(runs, "obstacle"), "-")
    times = [run["ms_per_iteration"] for run in measured]
    apart = (max(times) - min(times)) / statistics.median(times)
    return ((str(ranks),) + tuple(number([run.get(key) for run in measured], form)
                                  for _, key, form in NUMBERS)
            + (format(apart, ".1%"), str(len(measured)), words(measured, "transport"),
               words(measured, "plan")))


def main(names):
    if not names:
        sys.exit(__doc__.strip())
    tables = gather(names)
    for heading, rows in sorted(tables.items()):
        lines = [COLUMNS] + [line(ranks, rows[ranks]) for ranks in sorted(rows)]
        widths = [max(len(one[i]) for one in lines) for i in range(len(COLUMNS))]
        print("\n" + heading + "\n")
        for i, one in enumerate(lines):
            cells = (c.ljust(w) if n > 6 else c.rjust(w) for n, (c, w) in enumerate(zip(one, widths)))
            print("| " + " | ".join(cells) + " |")
            if i == 0:
                print("|" + "|".join("-" * (w + 1) + (":" if n < 7 else "-")
                                     for n, w in enumerate(widths)) + "|")
    return 0 if tables else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
