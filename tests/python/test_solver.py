"""Solving, fields without copies, arrays and functions."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import isotherm


def decay(case):
    """Returns the exact factor by which one FTCS step multiplies the initial mode of the plate."""
    h = [case.coordinates(axis)[1] - case.coordinates(axis)[0] for axis in (0, 1)]
    eigenvalue = sum(4 / d**2 * np.sin(k * d / 2) ** 2 for k, d in zip((np.pi / 2, np.pi), h))
    return 1 - case.time_step * 0.1 * eigenvalue


def mode(case):
    x, y = case.coordinates(0), case.coordinates(1)
    return np.sin(np.pi * x[None, :] / 2) * np.sin(np.pi * y[:, None])


def poisson(n=33, **sections):
    return isotherm.Case(**({
        "grid": {"points": [n, n], "lower": [0, 0], "upper": [1, 1]},
        "equation": {"type": "poisson", "source": "2*pi*pi*sin(pi*x)*sin(pi*y)"},
        "boundary": {"all": {"type": "dirichlet", "value": 0.0}},
        "method": {"name": "multigrid", "tolerance": 1e-9, "iterations": 50},
    } | sections))


def test_a_mode_decays_by_its_exact_factor(plate):
    case = isotherm.Case(plate)
    result = isotherm.run(case)

    assert result.iterations == 200 and result.converged is None
    np.testing.assert_allclose(result.u, mode(case) * decay(case) ** 200, atol=1e-12)
    assert result.time == pytest.approx(200 * case.time_step)
    assert list(result.residuals["iteration"]) == [0, 100]


def test_step_by_step_is_the_same(plate):
    whole = isotherm.run(plate).u
    solver = isotherm.Solver(isotherm.Case(plate))
    for steps in (1, 0, 99, 7, 1000):
        done = solver.advance(steps)
        assert done == min(steps, 93 if steps == 1000 else steps)

    assert solver.iteration == 200
    np.testing.assert_array_equal(solver.u, whole)
    with pytest.raises(ValueError, match="cannot be negative"):
        solver.advance(-1)


def test_a_tolerance_is_met():
    result = isotherm.run(poisson())

    assert result.converged and 0 < result.iterations < 15
    x = np.linspace(0, 1, 33)
    exact = np.sin(np.pi * x)[None, :] * np.sin(np.pi * x)[:, None]
    h = x[1]
    # amplitude factor of the discrete solution
    factor = np.pi**2 * h**2 / (4 * np.sin(np.pi * h / 2) ** 2)
    np.testing.assert_allclose(result.u, exact * factor, atol=1e-7)
    assert isotherm.run(poisson(method={"name": "jacobi", "tolerance": 1e-9, "iterations": 5})).converged is False


def test_an_absolute_tolerance_alone_is_met():
    result = isotherm.run(poisson(method={"name": "multigrid", "absolute_tolerance": 1e-7, "iterations": 50}))

    assert result.converged and result.residuals["residual"][-1] <= 1e-7 < result.residuals["residual"][0]


def test_the_field_is_not_copied_and_outlives_the_solver(plate):
    solver = isotherm.Solver(isotherm.Case(plate))
    u = solver.u

    assert u.shape == (17, 33) and u.dtype == np.float64 and not u.flags.writeable
    assert solver.u.__array_interface__["data"] == u.__array_interface__["data"]
    assert not np.shares_memory(solver.values(), u)
    _, pointer, shape, strides = solver._core.field
    assert pointer == u.__array_interface__["data"][0]
    assert tuple(shape) == u.shape and tuple(strides) == u.strides
    kept = u.copy()
    del solver
    gc.collect()
    np.testing.assert_array_equal(u, kept)


def test_quantities_and_probes_of_the_field():
    # u = x on 11 x 5 points: the flux into the box is -1 per length through x_lower, 1 through x_upper.
    case = isotherm.Case(
        grid={"points": [11, 5], "upper": [1.0, 0.5], "precision": "float64"},
        equation={"type": "laplace"},
        boundary={"x_lower": {"type": "dirichlet", "value": 0.0}, "x_upper": {"type": "dirichlet", "value": 1.0},
                  "y": {"type": "neumann", "value": 0.0}},
        method={"name": "multigrid", "tolerance": 1e-12},
        output={"quantities": ["mean", "max", "flux"]},
        probe=[{"name": "centre", "at": [0.5, 0.25]},
               {"name": "row", "from": [0.0, 0.25], "to": [1.0, 0.25], "points": 3}])
    result = isotherm.run(case)
    assert result.quantities["mean"] == pytest.approx(0.5)
    assert result.quantities["flux_x_lower"] == pytest.approx(-0.5)
    assert result.solver.quantities == result.quantities
    probes = result.solver.probes
    assert probes["centre"]["value"] == pytest.approx(0.5)
    np.testing.assert_allclose(probes["row"]["value"], [0.0, 0.5, 1.0], atol=1e-12)
    result.solver.set(np.ones(result.solver.shape))
    assert result.solver.quantities["max"] == 1.0
    assert isotherm.run(poisson()).quantities == {}


def test_values_can_be_set(plate):
    solver = isotherm.Solver(isotherm.Case(plate))
    case = solver.case
    solver.advance(50)
    assert len(solver.residuals) == 1
    solver.set(2 * mode(case))
    assert solver.iteration == 0 and solver.residual is None and len(solver.residuals) == 0
    solver.advance(20)

    np.testing.assert_allclose(solver.u, 2 * mode(case) * decay(case) ** 20, atol=1e-12)
    with pytest.raises(ValueError, match=r"shape \(33, 17\) \(needs \(17, 33\)\)"):
        solver.set(np.zeros((33, 17)))


@pytest.mark.parametrize("points", [(13, 9), (11, 9, 8)])
def test_arrays_and_functions_are_as_expressions(points):
    dimension = len(points)
    text = {"source": "1 + x*y", "initial": "x - 2*y", "x_lower": "y*y", "y_upper": "1 - x"}
    sections = {"grid": {"points": points, "lower": [0] * dimension, "upper": [1, 2, 3][:dimension]},
                "method": {"name": "jacobi", "iterations": 40}}

    def case(source, initial, x_lower, y_upper):
        boundary = {"all": {"type": "dirichlet", "value": 0.25},
                    "x_lower": {"type": "dirichlet", "value": x_lower},
                    "y_upper": {"type": "neumann", "value": y_upper}}
        return isotherm.Case(**sections, equation={"type": "poisson", "source": source},
                             initial={"value": initial}, boundary=boundary)

    wanted = isotherm.run(case(text["source"], text["initial"], text["x_lower"], text["y_upper"])).u
    functions = isotherm.run(case(lambda x, y: 1 + x * y, lambda y, x: x - 2 * y,
                                  lambda y: y * y, lambda x: 1 - x)).u
    x, y = (case(0, 0, 0, 0).coordinates(axis) for axis in (0, 1))
    grid = [1] * (dimension - 2)
    xs, ys = x.reshape([*grid, 1, -1]), y.reshape([*grid, -1, 1])
    full = np.ones(points[::-1])
    arrays = isotherm.run(case((1 + xs * ys) * full, xs - 2 * ys + 0 * full,
                               np.broadcast_to(ys[..., 0] ** 2, full.shape[:-1]),
                               1 - x)).u
    np.testing.assert_array_equal(functions, wanted)
    np.testing.assert_array_equal(arrays, wanted)


def test_functions_of_time_are_as_expressions(plate):
    def solved(source, face):
        boundary = {"x_lower": {"type": "dirichlet", "value": face}}
        return isotherm.run(isotherm.Case(plate, equation={"source": source}, boundary=boundary)).u

    by_text = solved("x*t", "sin(t) * y")
    by_function = solved(lambda x, t: x * t, lambda y, t: np.sin(t) * y)
    np.testing.assert_allclose(by_function, by_text, rtol=0, atol=1e-15)
    assert np.abs(by_text).max() > 0.1


def test_functions_of_numbers_are_vectorized():
    def step(x, y):
        return 1.0 if x < 0.5 else 3.0

    by_arrays = isotherm.run(poisson(equation={"type": "poisson", "source": lambda x: np.where(x < 0.5, 1.0, 3.0)}))
    by_numbers = isotherm.run(poisson(equation={"type": "poisson", "source": np.vectorize(step)}))
    np.testing.assert_array_equal(by_numbers.u, by_arrays.u)

    with pytest.raises(ValueError, match="truth value of an array") as refused:
        isotherm.run(poisson(equation={"type": "poisson", "source": step}))
    notes = getattr(refused.value, "__notes__", ["equation.source: numpy.vectorize"])  # none before Python 3.11
    assert notes[0].startswith("equation.source: ") and "numpy.vectorize" in notes[0]


def test_what_a_function_raises_arrives():
    def wrong(x, y):
        raise KeyError("of mine")

    with pytest.raises(KeyError, match="of mine"):
        isotherm.run(poisson(equation={"type": "poisson", "source": wrong}))
    with pytest.raises(ValueError, match=r"equation.source: the function returned an array of shape \(3,\)"):
        isotherm.run(poisson(equation={"type": "poisson", "source": lambda x: np.zeros(3)}))
    with pytest.raises(ValueError, match="has an argument s"):
        isotherm.run(poisson(equation={"type": "poisson", "source": lambda s: s}))
    with pytest.raises(ValueError, match=r"is an array of shape \(4, 4\) \(needs \(33, 33\)\)"):
        isotherm.run(poisson(equation={"type": "poisson", "source": np.zeros((4, 4))}))
    with pytest.raises(ValueError, match=r"^equation.source \(given by a program\): the source is not a finite"):
        isotherm.run(poisson(equation={"type": "poisson", "source": np.full((33, 33), np.nan)}))


def test_callbacks_come_at_checks_and_may_end_a_run(plate):
    seen = []

    def look(solver):
        seen.append((solver.iteration, solver.residual))
        return len(seen) == 3

    result = isotherm.run(isotherm.Case(plate, method={"check_every": 20}), callback=look)
    assert [iteration for iteration, _ in seen] == [1, 21, 41] and result.iterations == 41
    assert seen[0][1] > seen[1][1] > seen[2][1]

    def fail(solver):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        isotherm.run(plate, callback=fail)


def test_progress_shows(plate, capsys):
    isotherm.run(plate, progress=True)

    assert "iteration 200 of at most 200, residual 0.2" in capsys.readouterr().err


def in_the_middle(solver, action):
    """Returns a thread that acts as soon as the solver is working."""

    def later():
        while solver.iteration == 0:
            time.sleep(0.01)
        action()

    return threading.Thread(target=later, daemon=True)


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_ends_a_run_between_iterations(plate):
    solver = isotherm.Solver(isotherm.Case(plate, method={"steps": 10**12}))
    with pytest.raises(KeyboardInterrupt):
        in_the_middle(solver, interrupt).start()
        solver.solve()
    reached = solver.iteration

    assert 0 < reached < 10**12
    assert solver.advance(3) == 3 and solver.iteration == reached + 3


def test_ctrl_c_in_a_function_leaves_the_field_sound(plate):
    calls = []

    def interrupted(x, t):
        calls.append(t)
        if len(calls) == 20:
            interrupt()
        return x * t

    solver = isotherm.Solver(isotherm.Case(plate, equation={"source": interrupted}))
    with pytest.raises(KeyboardInterrupt):
        solver.solve()
        time.sleep(60)  # too late if it comes after the last step
    solver.solve()

    wanted = isotherm.run(isotherm.Case(plate, equation={"source": "x*t"})).u
    np.testing.assert_allclose(solver.u, wanted, rtol=0, atol=1e-15)


def test_a_solver_of_a_function_that_failed_does_not_go_on(plate):
    def fails_later(x, t):
        if t > 0.1:
            raise KeyError("of mine")
        return x * t

    solver = isotherm.Solver(isotherm.Case(plate, equation={"source": fails_later}))
    with pytest.raises(KeyError, match="of mine"):
        solver.solve()
    with pytest.raises(RuntimeError, match="cannot continue: a function that supplies its values raised an exception.* create a new Solver"):
        solver.advance(1)


def test_a_function_cannot_use_the_solver_that_calls_it(plate):
    solvers = []

    def turns_back(x, t):
        if solvers:
            solvers[0].advance(1)
        return x * t

    solvers.append(isotherm.Solver(isotherm.Case(plate, equation={"source": turns_back})))
    with pytest.raises(RuntimeError, match="is busy"):
        solvers[0].advance(5)


def test_one_thread_at_a_time_works_with_a_solver(plate):
    """The second call comes while the first one is in a function that the solver calls."""
    inside, leave = threading.Event(), threading.Event()
    refusals = []

    def waits(x, t):
        if t > 0.0:
            inside.set()
            leave.wait()
        return x * t

    solver = isotherm.Solver(isotherm.Case(plate, equation={"source": waits}))

    def intrude():
        inside.wait()
        for wrong in (lambda: solver.advance(1), lambda: solver.residuals, lambda: solver.u):
            try:
                wrong()
            except RuntimeError as refusal:
                refusals.append(str(refusal))
        leave.set()

    thread = threading.Thread(target=intrude, daemon=True)
    thread.start()
    solver.solve()
    thread.join()
    assert len(refusals) == 3 and all("is busy" in refusal for refusal in refusals)


@pytest.mark.parametrize("kept", ["u = isotherm.run(case).u", "all = [isotherm.run(case).u for _ in range(3)]",
                                  "atexit.register(lambda: print(u.max()))\nu = isotherm.run(case).u"])
def test_arrays_may_outlive_all_else(plate, kept):
    code = f"import atexit, isotherm\ncase = isotherm.Case({str(plate)!r})\n{kept}\nprint('end')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "end" in done.stdout and done.stderr == ""


def test_other_threads_go_on_meanwhile(plate):
    solver = isotherm.Solver(isotherm.Case(plate, method={"steps": 10**12}))
    turns = []

    def count():
        turns.extend(solver.iteration for _ in range(5))
        interrupt()

    with pytest.raises(KeyboardInterrupt):
        in_the_middle(solver, count).start()
        solver.solve()
    assert len(turns) == 5


def test_notebooks_show_a_result(plate):
    shown = isotherm.run(plate)._repr_html_()

    assert "200 iterations" in shown and "data:image/png;base64," in shown


def test_a_case_is_needed():
    with pytest.raises(TypeError, match="takes a Case"):
        isotherm.Solver("case.toml")
    with pytest.raises(TypeError, match="mpi4py"):
        isotherm.Solver(poisson(), comm=3)
    with pytest.raises(ValueError, match="device"):
        isotherm.Solver(poisson(), device="gpu")


def test_layers_in_series_have_the_harmonic_mean_of_their_conductivities(tmp_path):
    case = isotherm.Case(grid={"points": [8, 4], "upper": [1, 1]}, equation={"type": "laplace", "conductivity": 1},
                         material=[{"box": {"lower": [0.3, 0], "upper": [0.8, 1]}, "conductivity": 3}],
                         boundary={"x": {"type": "periodic", "gradient": 2}, "y": {"type": "periodic"}},
                         method={"tolerance": 1e-10})
    for result in isotherm.run(case), isotherm.run(case, directory=tmp_path / "cell", quiet=True):
        assert result.effective_conductivity == pytest.approx({"x": 1.5, "y": 0})
        assert result.mean_flux == pytest.approx({"x": -3.0, "y": 0})
    free = case.replace(boundary={"x": {"type": "periodic", "gradient": 0}}, equation={"mean": 1})
    assert isotherm.run(free).effective_conductivity == {} == isotherm.run(free).mean_flux
