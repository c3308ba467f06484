"""Conditions that stop a solver before the end of its case."""

import copy
import pickle

import numpy as np
import pytest

import isotherm
from test_solver import poisson


def test_a_time_is_met_exactly_and_a_later_call_continues(plate):
    solver = isotherm.Solver(isotherm.Case(plate))
    step = solver.case.time_step
    assert solver.solve(until=37 * step).iterations == 37
    assert solver.solve(until=37 * step).iterations == 37
    assert solver.solve(until={"time": 40.5 * step}).iterations == 41
    assert solver.solve(until={"time": 1e9, "iteration": 60}).iterations == 60
    assert solver.solve(until={"iteration": 7}).iterations == 60
    assert solver.solve().iterations == 200

    np.testing.assert_array_equal(solver.u, isotherm.run(plate).u)


def test_a_time_between_implicit_steps_ends_with_the_step(plate):
    case = isotherm.Case(plate, method={"name": "backward_euler", "time_step": 0.1, "steps": 30})
    result = isotherm.run(case, until=0.25)

    assert result.iterations == 3 and result.time == pytest.approx(0.3)


def test_a_function_is_asked_after_each_check(plate):
    case = isotherm.Case(plate, method={"check_every": 10})
    result = isotherm.run(case, until=lambda s: float(s.u.max()) < 0.8)

    assert result.iterations % 10 == 1 and result.u.max() < 0.8
    assert isotherm.run(case, until={"iteration": result.iterations - 10}).u.max() >= 0.8


def test_a_tolerance_stops_earlier_than_that_of_the_case():
    case = poisson(65, method={"name": "multigrid", "tolerance": 1e-10, "iterations": 50, "check_every": 1})
    whole = isotherm.run(case)
    early = isotherm.run(case, until={"tolerance": 1e-3})
    residual = isotherm.run(case, until={"residual": whole.residuals["residual"][2]})

    assert early.iterations < whole.iterations and early.error <= 1e-3
    assert residual.iterations < whole.iterations


@pytest.mark.parametrize(("until", "said"), [
    ({"tim": 1}, "'tim' is not a condition"),
    ({}, "the condition is empty"),
    ("soon", "time is 'soon'"),
    ({"time": float("nan")}, "needs a finite number"),
])
def test_wrong_conditions_are_refused(plate, until, said):
    with pytest.raises(ValueError, match=said):
        isotherm.run(plate, until=until)


def test_a_time_needs_a_method_in_time(plate, tmp_path):
    with pytest.raises(ValueError, match="multigrid does not advance time"):
        isotherm.run(poisson(), until=1.0)
    with pytest.raises(ValueError, match="omit until or directory"):
        isotherm.run(plate, directory=tmp_path / "out", until=1.0)


def test_a_solver_explains_that_it_cannot_be_pickled(plate):
    solver = isotherm.Solver(isotherm.Case(plate))
    for action in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickle its Result"):
            action(solver)
