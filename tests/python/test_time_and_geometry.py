"""Stopping criteria, times, radii, reaction terms and radiation have the same exact results from Python as from a case file."""

import math

import numpy as np
import pytest

import isotherm

SIGMA = 5.670374419e-8


def lumped(face, **method):
    """A ball of 15 mm that conducts so well that its temperature is uniform."""
    return isotherm.Case(
        grid={"geometry": "spherical", "points": [5], "upper": [0.015]},
        equation={"type": "diffusion", "conductivity": 1e6, "capacity": 4.7e6},
        boundary={"x_upper": face},
        initial={"value": 850.0},
        method={"name": "crank_nicolson", "time_step": 20.0, "time_tolerance": 0.01, "step_tolerance": 1e-8,
                "end_time": 20000.0} | method)


def radial(geometry, equation, boundary, **sections):
    return isotherm.Case(grid={"geometry": geometry, "points": [9], "lower": [1.0], "upper": [2.0]}, equation=equation,
                         boundary=boundary, method={"name": "multigrid", "tolerance": 1e-12}, **sections)


def test_a_criterion_finds_the_time_at_which_a_radiating_ball_is_cold():
    face = {"type": "radiation", "emissivity": 0.8, "ambient": 0.0, "absolute_zero": 0.0}
    solver = isotherm.Solver(lumped(face, stop="max < 300"))
    assert solver.stop is None
    result = solver.solve()

    exact = 4.7e6 * 0.015 / (9 * 0.8 * SIGMA) * (300.0**-3 - 850.0**-3)
    assert result.stop["criterion"] == "max < 300"
    assert result.stop["time_s"] == pytest.approx(exact, rel=5e-4)
    assert result.stop["iteration"] == result.iterations and result.stop["value"] < 300.0
    assert result.time >= result.stop["time_s"] and solver.stop == result.stop


def test_a_directory_has_the_same_stop(tmp_path):
    case = lumped({"type": "convection", "h": 200.0, "ambient": 20.0}, stop="mean < 100")
    stop = isotherm.run(case).stop

    assert stop["time_s"] == pytest.approx(4.7e6 * 0.015 / 600 * math.log(830 / 80), rel=5e-4)
    assert isotherm.run(case, directory=tmp_path / "out", quiet=True).stop == pytest.approx(stop)


def test_a_criterion_that_is_never_met_gives_no_stop():
    case = lumped({"type": "convection", "h": 200.0, "ambient": 20.0}, stop="max < 100", end_time=40.0)
    assert isotherm.run(case).stop is None


def test_coefficients_take_the_start_time():
    # h = 50 (1 + t/500): k (t + t²/1000) from 1000 on, k = 3 · 50 / (c R)
    case = lumped({"type": "convection", "h": "50*(1 + t/500)", "ambient": 20.0}, stop="max < 100", start_time=1000.0)
    solver = isotherm.Solver(case)
    assert solver.time == 1000.0

    integral = math.log(830 / 80) * 4.7e6 * 0.015 / 150
    assert solver.solve().stop["time_s"] == pytest.approx(500 * (math.sqrt(9 + integral / 250) - 1), rel=5e-4)


def test_steps_of_several_lengths_end_at_their_times(plate):
    method = {"name": "backward_euler", "steps": None, "time_step": None,
              "time_steps": [{"step": 0.01, "to": 0.05}, {"step": 0.1, "to": 0.35}]}
    solver = isotherm.Solver(isotherm.Case(plate, method=method))
    times = []
    solver.solve(lambda s: times.append(s.time))

    assert times[-8:] == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05, 0.15, 0.25, 0.35])
    # Each step divides the mode by 1 + step · D · eigenvalue.
    rate = 0.1 * sum(2 - 2 * math.cos(math.pi / n) for n in (32, 16)) * 256
    factor = (1 + 0.01 * rate) ** -5 * (1 + 0.1 * rate) ** -3
    assert solver.u[8, 16] == pytest.approx(factor, rel=1e-6)


@pytest.mark.parametrize(("geometry", "exact"), [
    ("axisymmetric", lambda r: 1 - np.log(r) / math.log(2)), ("spherical", lambda r: 2 / r - 1)])
def test_radial_fields_are_exact(geometry, exact):
    case = radial(geometry, {"type": "laplace"}, {"x_lower": {"type": "dirichlet", "value": 1.0},
                                                  "x_upper": {"type": "dirichlet", "value": 0.0}})
    np.testing.assert_allclose(np.ravel(isotherm.run(case).u), exact(case.coordinates("x")), atol=1e-10)


def test_a_reaction_gives_the_field_of_a_fin():
    # a = 4, κ = 1, insulated at x = 1: cosh(m (1 − x)) / cosh m with 2 cosh(m h) − 2 = a h²
    case = isotherm.Case(grid={"points": [33], "upper": [1.0]}, equation={"type": "laplace", "reaction": 4.0},
                         boundary={"x_lower": {"type": "dirichlet", "value": 1.0},
                                   "x_upper": {"type": "neumann", "value": 0.0}},
                         method={"name": "multigrid", "tolerance": 1e-12}, output={"quantities": ["flux"]})
    result = isotherm.run(case)
    m = math.acosh(1 + 2 / 32**2) * 32
    np.testing.assert_allclose(np.ravel(result.u), np.cosh(m * (1 - case.coordinates("x"))) / math.cosh(m), atol=1e-10)
    assert result.quantities["flux_x_lower"] == pytest.approx(-result.quantities["flux_reaction"], rel=1e-9)
    assert result.quantities["flux_x_lower"] == pytest.approx(2 * math.tanh(2), rel=1e-3)


def test_a_radiating_face_balances_the_flux_into_a_wall():
    case = isotherm.Case(grid={"points": [17], "upper": [0.05]}, equation={"type": "laplace", "conductivity": 40.0},
                         boundary={"x_lower": {"type": "flux", "value": 5e4},
                                   "x_upper": {"type": "radiation", "emissivity": 0.8, "ambient": 300.0,
                                               "absolute_zero": 0.0}},
                         method={"tolerance": 1e-10})
    u = np.ravel(isotherm.run(case).u)
    surface = (5e4 / (0.8 * SIGMA) + 300.0**4) ** 0.25
    np.testing.assert_allclose(u, surface + 5e4 / 40.0 * (0.05 - case.coordinates("x")), rtol=1e-9)


@pytest.mark.parametrize(("sections", "said"), [
    ({"method": {"stop": "max < soon"}}, "stop"),
    ({"method": {"start_time": -1.0}}, "start_time"),
    ({"grid": {"geometry": "round"}}, "geometry"),
])
def test_wrong_values_are_refused(plate, sections, said):
    with pytest.raises(ValueError, match=said):
        isotherm.Solver(isotherm.Case(plate, **sections))
