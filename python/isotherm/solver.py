"""Solves a case, completely or step by step."""

from __future__ import annotations

import atexit
import multiprocessing.util
import operator
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _core
from .case import Case
from .device import DeviceField
from .given import real_numbers
from .notebook import Progress
from .result import RESIDUAL, Result, last_error
from .until import Condition, Until

STOPPED = 75  # what run() of the program returns where it was asked to stop

Callback = Callable[["Solver"], Any]


class Solver:
    """A case that is solved step by step, in memory.

    device: "auto" (a GPU if every rank has one), "cuda" or "cpu"; None: the case's choice.
    comm: an mpi4py communicator, which isotherm duplicates; None: all ranks. All ranks call the same
    methods in the same order, and each has its part of the field.

    with Solver(case) as solver: closes it at the end.

    Raises ValueError if the case is wrong, RuntimeError if solving fails.
    """

    def __init__(self, case: Case, *, device: Optional[str] = None, comm: Any = None) -> None:
        if not isinstance(case, Case):
            raise TypeError(f"Solver() takes a Case, not a {type(case).__name__}")
        self.case = case if device is None else case.replace(run={"device": device})
        _begin_session()
        self._core = _core.Solver(self.case._core, self.case._functions(), _address_of(comm))

    def close(self) -> None:
        """Frees the solver's memory. All its ranks call it together. Afterwards only close(), closed, case and
        repr() are available. If arrays of the memory (u) still exist on any rank, it is freed later: when
        the last of them is gone and, on several ranks, another solver is created or closed. After the end
        of MPI the solver is only marked as closed."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """Whether close() has been called."""
        return self._core.closed

    def __enter__(self) -> "Solver":
        return self

    def __exit__(self, fault: Optional[type[BaseException]], *_: Any) -> None:
        if fault is not None and not self.closed and self.ranks > 1:
            self._core.abandon()  # the others may not come here, and wait elsewhere
        else:
            self.close()

    @property
    def u(self) -> Any:
        """This rank's part of the field as it is now, without a copy.

        On the CPU it is a read-only NumPy array, on a GPU a DeviceField, which CuPy and PyTorch accept.
        The array stays valid, but advance() and solve() overwrite it. Read u again afterwards, or copy
        it with values().
        """
        array, pointer, shape, strides = self._core.field
        if self._core.backend == "cpu":
            return array
        return DeviceField(array, pointer, tuple(shape), tuple(strides), self.case.dtype)

    def values(self) -> np.ndarray:
        """Returns a copy of this rank's part of the field in host memory."""
        return np.asarray(self._core.values())

    def set(self, values: Any) -> None:
        """Replaces this rank's part of the field, at iteration 0. Points at Dirichlet faces keep
        the value of their face."""
        array = np.ascontiguousarray(real_numbers(values, "the values"), dtype=self.case.dtype)
        if np.shape(values) != self.shape:
            raise ValueError(f"the values have shape {np.shape(values)} (needs {self.shape})")
        self._core.set(array)

    def advance(self, iterations: int = 1) -> int:
        """Advances by a number of iterations or time steps, or until the solver stops by itself (it has
        converged, or the case allows no more). Returns the number that was done. Ctrl-C raises
        KeyboardInterrupt within approximately half a second; the field then belongs to a whole iteration."""
        try:
            wanted = operator.index(iterations)
        except TypeError:
            raise ValueError(f"advance({iterations!r}): the number of iterations must be an integer") from None
        if wanted < 0:
            raise ValueError(f"advance({wanted}): the number of iterations cannot be negative")
        before = self.iteration
        self._core.advance_to(min(before + wanted, self.case.iterations))
        return self.iteration - before

    def solve(self, callback: Optional[Callback] = None, *, until: Condition = None,
              progress: bool = False) -> Result:
        """Advances to the end of the case: its tolerance, its end time, or its last iteration.

        callback(solver) is called after each check of the case (method.check_every iterations). If it
        returns True on any rank, the solver stops there. progress: True shows the progress.

        until stops the solver before that. It is a time, in the case's unit; or a dict with some of time,
        iteration, tolerance (of the estimated error) and residual, of which the first one to be reached
        counts; or a function of the solver:

            solver.solve(until=0.5)
            solver.solve(until={"iteration": 200, "tolerance": 1e-3})
            solver.solve(until=lambda s: s.u.max() < 40)

        The solver stops exactly at the iteration, and for a time at the end of the time step that reaches it. The
        other conditions are evaluated after each check. A later call continues. All ranks need the same time or
        iteration.
        """
        condition = Until(until, self)
        wants = progress or callback is not None or condition.looks
        looks = self._core.any(wants)  # all ranks stop at the same places
        with Progress(self, progress) as shown:
            while self.iteration < self.case.iterations and not self._core.has_stopped:
                if condition.reached(self):
                    break
                self._core.advance_to(condition.limited(self._next_look(looks), self))
                shown.update()
                if not looks:
                    continue
                asked = callback is not None and bool(callback(self))
                if self._core.any(condition.holds(self) or asked):
                    break
        return Result.of_solver(self)

    def _next_look(self, looks: bool) -> int:
        every = self.case._core.check_every if looks else 0
        if every == 0:
            return self.case.iterations
        # One further than the check: its residual is measured in the pass after it.
        at_check = (self.iteration - 1) // every * every + 1 if self.iteration > 0 else 1 - every
        return min(max(at_check + every, self.iteration + 1), self.case.iterations)

    @property
    def iteration(self) -> int:
        """Number of iterations, cycles or time steps done."""
        return self._core.iteration

    @property
    def time(self) -> float:
        """The field's time, in the case's own unit, if the method advances time; otherwise 0."""
        return self._core.time

    @property
    def residuals(self) -> np.ndarray:
        """All measured residuals: a structured array with iteration, time, residual and error, the estimated
        error of the field relative to the range of its values; NaN if there is no estimate."""
        return np.array(self._core.residuals, dtype=RESIDUAL)

    @property
    def residual(self) -> Optional[float]:
        """The last measured residual; None before the first."""
        return self._core.last_residual

    @property
    def error(self) -> Optional[float]:
        """The estimated error that belongs to the last residual, relative to the range of the field's values;
        None if there is no estimate."""
        return last_error(self.residuals)

    @property
    def reference(self) -> Optional[float]:
        """The reference of the relative tolerance, or None if there is none."""
        return self._core.reference

    @property
    def converged(self) -> bool:
        """Whether the field meets the case's tolerance. If rounding makes the measured residuals doubtful,
        the residual of the field is evaluated in float64. Also False if the flows in and out differ by more
        than an error within the tolerance explains. All ranks call it."""
        return self._core.has_converged()

    @property
    def stop(self) -> Optional[dict[str, Any]]:
        """Where the criterion [method] stop was met: "criterion", "iteration", "time_s" (interpolated within
        the step) and "value"; None if it was not."""
        point = self._core.stop
        return None if point is None else dict(zip(("criterion", "iteration", "time_s", "value"), point))

    @property
    def floating(self) -> dict[str, dict[str, float]]:
        """The floating conductors by name, or by number if they have none: "value", "flux" (measured from the
        field) and "given_flux". All ranks call it."""
        return {name: {"value": value, "flux": flux, "given_flux": given}
                for name, value, flux, given in self._core.floating()}

    @property
    def quantities(self) -> dict[str, float]:
        """The quantities that [output] quantities of the case names, of the field as it is now, such as "max" or
        "flux_x_lower"; empty if it names none. All ranks call it."""
        for _table, heading, rows in self._core.measure(True):
            return dict(zip(heading.split(",")[1:], rows[0]))
        return {}

    @property
    def mean_flux(self) -> dict[str, float]:
        """The mean of the flux density -kappa grad u over a periodic cell with a mean gradient, along each
        periodic axis ("x", "y", "z"), in units of kappa u / length; empty if no axis has a gradient. All ranks
        call it."""
        return self._core.mean_flux()[0]

    @property
    def effective_conductivity(self) -> dict[str, float]:
        """The column of the tensor of the effective conductivity that belongs to the axis with the mean gradient,
        by axes ("x", "y", "z"), in units of kappa; empty if several axes have a gradient or anything else drives
        a flux. All ranks call it."""
        return self._core.mean_flux()[1]

    @property
    def probes(self) -> dict[str, dict[str, Any]]:
        """What each [[probe]] of the case measures in the field as it is now, by name: a number for each column
        of its table, or an array if it is a line. All ranks call it."""
        found: dict[str, dict[str, Any]] = {}
        for table, heading, rows in self._core.measure(False):
            name = table.removeprefix("probe_").removesuffix(".csv")
            found[name] = {column: numbers if numbers.size > 1 else float(numbers[0])
                           for column, numbers in zip(heading.split(",")[1:], np.asarray(rows).T)}
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of this rank's part: (z, y, x) or (y, x)."""
        return tuple(self._core.extent)[::-1]

    @property
    def offset(self) -> tuple[int, ...]:
        """Index of this rank's first point in the whole field: (z, y, x) or (y, x)."""
        return tuple(self._core.offset)[::-1]

    def coordinates(self, axis: Union[int, str]) -> np.ndarray:
        """Coordinates of this rank's points along axis "x", "y" or "z" (0, 1, 2)."""
        axis = self.case.axis_number(axis)
        first = self._core.offset[axis]
        return self.case.coordinates(axis)[first:first + self._core.extent[axis]]

    @property
    def backend(self) -> str:
        """"cpu" or "cuda"."""
        return self._core.backend

    @property
    def device(self) -> str:
        """The device that computes: "NVIDIA H200", or the processor and its threads."""
        return self._core.device

    @property
    def rank(self) -> int:
        """The number of this rank, from 0."""
        return self._core.rank

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self._core.ranks

    def write(self, file: Any) -> None:
        """Writes the whole field to a file for ParaView, isotherm's commands and xarray. All ranks call it.
        An older file is replaced when the new one is complete.

        Raises ValueError if the name does not end in .vtkhdf: ParaView chooses its reader by the ending.
        """
        self._core.write(Path(file))

    def picture(self, file: Any) -> None:
        """Draws the field as a PNG, SVG or PDF file. All ranks call it.

        Raises ValueError if the name does not end in .png, .svg or .pdf.
        """
        self._core.draw(Path(file))

    def __reduce__(self) -> Any:
        raise TypeError("a Solver holds memory of a device and a communicator, so it cannot be pickled or copied: "
                        "pickle its Result (solver.solve()), or solver.case and solver.values(), and make a new "
                        "Solver of them with set()")

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"iteration {self.iteration}, on {self.device}"
        return f"<isotherm.Solver {self.case.title!r}: {state}>"


def run(case: Union[Case, str, Path], *, device: Optional[str] = None, comm: Any = None,
        directory: Any = None, overwrite: bool = False, resume: bool = False, quiet: bool = False,
        callback: Optional[Callback] = None, until: Condition = None, progress: bool = False,
        **sections: Any) -> Result:
    """Solves a case, given as a Case or a case file. Keyword arguments override its keys, as in Case().

    Without a directory nothing is written; callback, until and progress are those of Solver.solve(). With a
    directory, the case runs like `isotherm run`, with a log, snapshots, checkpoints and a picture in that
    directory; resume and overwrite are the program's options. A process can do one such run at a time.
    """
    case = case.replace(**sections) if isinstance(case, Case) else Case(case, **sections)
    if directory is None:
        if overwrite or resume:
            raise ValueError("run(): overwrite and resume need the results in a directory: "
                             "set directory=")
        return Solver(case, device=device, comm=comm).solve(callback, until=until, progress=progress)
    if overwrite and resume:
        raise ValueError("run(): resume=True continues from the results in the directory, which "
                         "overwrite=True would remove: omit one of them")
    if callback is not None:
        raise ValueError("run(): a run with directory= does not call a callback: omit one of "
                         "them")
    if until is not None:
        raise ValueError("run(): a run with directory= ends where its case ends: omit until or directory")
    case._require_text_alone("run() with a directory")
    directory = Path(directory).absolute()
    own: dict[str, Any] = {"output": {"directory": str(directory)}, **case._files_by_full_name()}
    if device is not None:
        own["run"] = {**own.get("run", {}), "device": device}
    case = case.replace(**own)
    return _run_to_directory(case, directory, overwrite, resume, quiet, comm)


def _run_to_directory(case: Case, directory: Path, overwrite: bool, resume: bool, quiet: bool,
                      comm: Any) -> Result:
    _begin_session()
    address = _address_of(comm)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "case.toml"
        file.write_text(case.text, encoding="utf-8")
        try:
            code = _core.run(file, overwrite, resume, quiet, address)
        except (RuntimeError, ValueError) as fault:
            raise type(fault)(_in_words_of_run(str(fault))) from None
    if code == STOPPED:
        raise KeyboardInterrupt(f"the run was stopped; {directory / 'run.log'} names its checkpoint. "
                                "Continue with resume=True")
    return Result.of_directory(directory, case)


def _in_words_of_run(said: str) -> str:
    """Replaces the program's options in a message by the arguments of run()."""
    for option, argument in (("--resume (without a FILE)", "resume=True"), ("--resume", "resume=True"),
                             ("--overwrite", "overwrite=True"), ("--output", "directory=")):
        said = re.sub(rf"(?<!\S){re.escape(option)}(?![\w-])", argument, said)
    return said


def _address_of(comm: Any) -> Optional[int]:
    """Returns the address of the handle within an mpi4py communicator."""
    if comm is None:
        return None
    try:
        from mpi4py import MPI
    except ImportError:
        raise TypeError("comm is not None (needs a communicator of mpi4py)") from None
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is a {type(comm).__name__} (needs a communicator of mpi4py)")
    own, other = _core.mpi_library(), MPI.Get_library_version()
    if own.split() != re.split("[,\n\0]", other)[0].split():  # what the core says of its own
        raise ValueError(f"mpi4py uses another MPI library ({other.splitlines()[0]}) than isotherm ({own}): "
                         "install both for the same one")
    return MPI._addressof(comm)


_session_process = 0


def _begin_session() -> None:
    """Starts MPI, which ends with the interpreter. Solvers are not destroyed then, so arrays of their memory
    remain valid."""
    global _session_process
    _core.start_mpi()
    if _session_process != os.getpid():
        _session_process = os.getpid()
        atexit.register(_end_session)
        if multiprocessing.parent_process() is not None:  # workers end without atexit
            multiprocessing.util.Finalize(None, _end_session, exitpriority=0)


def _end_session() -> None:
    if os.getpid() == _session_process:  # a child that was forked has no part in MPI
        _core.end_mpi()


def _abort_with_exceptions() -> None:
    """Makes an uncaught exception abort all ranks, since the others would wait for this one forever."""
    tell = sys.excepthook

    def hook(*fault: Any) -> None:
        tell(*fault)
        if _core.number_of_ranks() > 1:
            sys.stdout.flush()
            sys.stderr.flush()
            _core.abort()

    sys.excepthook = hook


_abort_with_exceptions()
