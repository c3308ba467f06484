"""Solves a case with all combinations of the values of some keys."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional, Union

from .case import Case, _override
from .result import Result
from .solver import Solver

Keys = Union[str, tuple[str, ...]]
Row = dict[str, Any]
Measure = Callable[[Result], Mapping[str, Any]]


def sweep(case: Union[Case, str, Path], over: Mapping[Keys, Sequence[Any]], *, processes: int = 1,
          measure: Optional[Measure] = None, device: Optional[str] = None) -> list[Row]:
    """Solves a case in memory with all combinations of the values of some keys; returns a row for each.

        rows = isotherm.sweep("case.toml", over={"equation.diffusivity": [0.1, 0.2],
                                                 "grid.points": [[65, 65], [129, 129]]}, processes=2)
        pandas.DataFrame(rows)

    `over` has keys as in the option --set, "section.key", each with its values; the last key varies fastest.
    A tuple of keys has a list of tuples as values: these keys vary together. Values may be everything that
    Case() accepts, including arrays and functions.

    `processes` is the number of cases that are solved at the same time, each in a process with its share of
    the cores. Cases and `measure` are then pickled, so functions must be named functions of a module, and a
    script must start under `if __name__ == "__main__"`.

    `measure` is a function of the Result that returns items for the row. The result's memory is freed
    afterwards, so arrays must be copied.

    A row has the keys and values, "status" ("done", "not-converged", or "failed"), "message" (why it
    failed, else ""), "iterations", "time", "converged", "error", "seconds" for solving, and "min" and "max" of the
    field. It also has what the case asks for: each quantity of [output] quantities, such as "mean" or
    "flux_x_lower", and "probe_NAME" of a point. A plane gives "probe_NAME.max", "probe_NAME.min" and
    "probe_NAME.mean", and a floating conductor "floating.NAME.value" and "floating.NAME.flux". "stop_time" is the
    time of the criterion [method] stop. If a case is wrong or fails, its row reports that and the others are
    solved nevertheless.

    Raises ValueError if a key is given twice, if a tuple of values has another length than its keys, or if
    `processes` is below 1. The command `isotherm sweep` also writes files and can be resumed.
    """
    case = case if isinstance(case, Case) else Case(case)
    if processes < 1:
        raise ValueError(f"sweep(): processes is {processes} (needs 1 or more)")
    tasks = [(case, settings, measure, device) for settings in _combinations(over)]
    if processes == 1:
        return [_solve(task) for task in tasks]
    with _share_of_cores(processes), ProcessPoolExecutor(
            min(processes, max(1, len(tasks))), mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(_solve, tasks))


def _combinations(over: Mapping[Keys, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    axes = []
    for keys, values in over.items():
        if isinstance(keys, str):
            axes.append([{keys: value} for value in values])
            continue
        for row in values:
            if len(row) != len(keys):
                raise ValueError(f"sweep(): {row!r} has {len(row)} values (needs {len(keys)}, for {', '.join(keys)})")
        axes.append([dict(zip(keys, row)) for row in values])
    names = [key for keys in over for key in ((keys,) if isinstance(keys, str) else keys)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"sweep(): {name} is given twice")
    for parts in itertools.product(*axes):
        yield {key: value for part in parts for key, value in part.items()}


def _with_settings(case: Case, settings: Mapping[str, Any]) -> Case:
    """Returns the case with other keys, some of which may be more than two levels deep."""
    for key, value in settings.items():
        section, _, name = key.partition(".")
        if not name:
            case = case.replace(**{section: value})
        elif "." not in name:
            case = case.replace(**{section: {name: value}})
        else:
            case = case.replace()
            case._overrides = [*case._overrides, _override(key, value)]
            case._read()
    return case


def _solve(task: tuple[Case, dict[str, Any], Optional[Measure], Optional[str]]) -> Row:
    case, settings, measure, device = task
    row: Row = {**settings, "status": "failed", "message": ""}
    try:
        with Solver(_with_settings(case, settings), device=device) as solver:
            result = solver.solve()
            values = solver.values()
            row |= {"status": "not-converged" if result.converged is False else "done",
                    "iterations": result.iterations, "time": result.time, "converged": result.converged,
                    "error": result.error, "seconds": result.seconds,
                    "min": float(values.min()), "max": float(values.max())}
            row |= _requested(solver, result)
            if measure is not None:
                row |= measure(result)
    except (RuntimeError, ValueError) as fault:
        row |= {"status": "failed", "message": str(fault)}
    return row


def _requested(solver: Solver, result: Result) -> Row:
    """Returns the numbers that the case asks for, under the names of the columns of `isotherm table`. Lines of
    probes have many values and are omitted."""
    row: Row = dict(result.quantities)
    for name, columns in solver.probes.items():
        for column, value in columns.items():
            if isinstance(value, float):
                row[f"probe_{name}" if column == "value" else f"probe_{name}.{column}"] = value
    for name, conductor in result.floating.items():
        row |= {f"floating.{name}.{key}": conductor[key] for key in ("value", "flux")}
    if result.stop is not None:
        row["stop_time"] = result.stop["time_s"]
    return row


@contextmanager
def _share_of_cores(processes: int) -> Iterator[None]:
    """Sets OMP_NUM_THREADS for processes that start meanwhile, unless the user has set it."""
    if "OMP_NUM_THREADS" in os.environ:
        yield
        return
    os.environ["OMP_NUM_THREADS"] = str(max(1, len(os.sched_getaffinity(0)) // processes))
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]
