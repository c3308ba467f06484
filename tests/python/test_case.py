"""Cases from files and from Python values, and the messages about invalid ones."""

import pickle

import numpy as np
import pytest

import isotherm

LAPLACE = {
    "grid": {"points": [9, 7], "lower": [0, 0], "upper": [1, 1]},
    "equation": {"type": "laplace"},
    "boundary": {"all": {"type": "dirichlet", "value": "x*y"}},
    "method": {"name": "multigrid", "tolerance": 1e-10, "iterations": 30},
}


def test_a_file_is_read(plate):
    case = isotherm.Case(plate)

    assert case.title == "plate"
    assert case.points == (33, 17) and case.shape == (17, 33)
    assert case.dtype == np.float64 and case.method == "ftcs" and case.equation == "diffusion"
    assert case.coordinates(0)[-1] == 2.0 and len(case.coordinates(1)) == 17


def test_graded_axes_have_their_coordinates(plate):
    case = isotherm.Case(plate, grid={"x": {"stretch": "tanh", "strength": 2.0}})

    x = case.coordinates("x")
    assert len(x) == 33 and x[0] == 0.0 and x[-1] == 2.0
    np.testing.assert_allclose(x, 1 + np.tanh(2 * np.linspace(-1, 1, 33)) / np.tanh(2), atol=1e-15)
    even = isotherm.Case(plate)
    np.testing.assert_array_equal(case.coordinates("y"), even.coordinates("y"))
    again = case.replace(grid={"x": None}).replace(grid={"x": {"coordinates": x.tolist()}})
    np.testing.assert_array_equal(again.coordinates("x"), x)


def test_keys_take_the_place_of_the_files(plate):
    case = isotherm.Case(plate, method={"steps": 7}, grid={"points": [5, 4], "precision": "float32"})

    assert case.iterations == 7 and case.points == (5, 4) and case.dtype == np.float32
    assert case.replace(method={"steps": 9}).iterations == 9
    assert case.iterations == 7


def test_none_takes_a_key_out(plate):
    case = isotherm.Case(plate, method={"steps": None, "end_time": 1.0}, title=None)

    assert case.title == "plate" and case.iterations != 200  # named after the file
    again = case.replace(method={"end_time": None, "steps": 7})
    assert again.iterations == 7 and "end_time" not in again.text.split("\n", 1)[1]
    assert pickle.loads(pickle.dumps(again)).iterations == 7
    assert again.replace(output=None, run={"device": None}).iterations == 7
    whole = isotherm.Case(**LAPLACE, title=None, initial={"value": None, "box": None}, output=None)
    assert isotherm.run(whole).converged


@pytest.mark.parametrize("gone", [{"initial": None}, {"initial": {"value": None}}])
def test_none_takes_arrays_out(gone):
    case = isotherm.Case(**LAPLACE, initial={"value": np.full((7, 9), 2.0)})

    assert isotherm.Solver(case).values()[3, 3] == 2.0
    assert isotherm.Solver(case.replace(**gone)).values()[3, 3] == 0.0


@pytest.mark.parametrize(("gone", "said"), [
    ({"method": {"nam": None}}, r"nam is not a key \(did you mean name\?\)"),
    ({"grid": {"points": None}}, "points"),
    ({"metod": None}, "metod is not a"),
    ({"boundary": {"all": {"type": "dirichlet", "value": None}}}, "boundary.all.value is a NoneType"),
])
def test_none_takes_out_only_what_may_be_missing(plate, gone, said):
    for make in (lambda: isotherm.Case(plate, **gone), lambda: isotherm.Case(plate).replace(**gone),
                 lambda: isotherm.Case(**(LAPLACE | gone))):
        with pytest.raises(ValueError, match=said) as refused:
            make()
        assert "\n" not in str(refused.value)


def test_all_keys_as_values():
    case = isotherm.Case(
        title='of "values" \\', **LAPLACE,
        initial={"value": 0.5, "box": [{"lower": [0.1, 0.1], "upper": [0.4, 0.4], "value": 2}]})

    assert case.title.startswith('of "values"')
    u = isotherm.Solver(case).values()
    assert u[2, 2] == 2.0 and u[4, 5] == 0.5


def test_numpys_numbers_are_numbers():
    sections = LAPLACE | {"grid": {"points": np.array([9, 7]), "lower": (np.float32(0), 0),
                                   "upper": [1, np.int64(1)]}}

    assert isotherm.Case(**sections).points == (9, 7)


def test_constants_are_a_section(plate):
    case = isotherm.Case(**LAPLACE | {
        "constants": {"n": np.float64(8), "width": "n/4"},
        "grid": {"points": ["n + 1", 7], "lower": [0, "-width"], "upper": ["width", 1]}})

    assert case.points == (9, 7)
    assert case.coordinates("y")[0] == -2.0
    assert case.replace(constants={"n": "2*5"}).coordinates("x")[-1] == 2.5
    assert isotherm.Case(plate, constants={"n": 5}, grid={"points": ["n", "n"]}).points == (5, 5)


@pytest.mark.parametrize(("sections", "said"), [
    ({"method": {"nam": "jacobi"}}, r"nam is not a key \(did you mean name\?\)"),
    ({"grid": {"points": [1, 7], "lower": [0, 0], "upper": [1, 1]}}, "points"),
    ({"grid": {"points": [9, 7], "lower": [0, 0], "upper": [float("nan"), 1]}}, "upper"),
    ({"equation": {"type": "heat"}}, 'type is "heat"'),
    ({"constants": {"x": 3}}, "x is a reserved name: in expressions it stands for a coordinate"),
    ({"constants": {"k": np.zeros(3)}}, "k is a list"),
    ({"method": {"name": object()}}, r"method.name is a object \(needs a number"),
    ({"boundary": {"all": {"type": "dirichlet", "value": np.zeros(7)}}}, "needs a single face"),
    ({"boundary": {"all": {"type": "dirichlet", "value": 0},
                   "z_lower": {"type": "dirichlet", "value": np.zeros(7)}}}, "z_lower"),
    ({"initial": {"value": ["a"]}}, r"initial.value: list of <U1 \(needs a number"),
])
def test_wrong_ones_are_refused_in_one_line(sections, said):
    with pytest.raises(ValueError, match=said) as refused:
        isotherm.Case(**(LAPLACE | sections))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("value", "said"), [
    (np.ones((7, 9)) * 1j, "complex128"),
    (np.ma.masked_greater(np.arange(63.0).reshape(7, 9), 5), "masked"),
    (np.full((7, 9), np.datetime64("2020-01-01")), "datetime64"),
    (lambda *all: 0, "has arguments without names"),
    (np.vectorize(lambda *all: 0), "has arguments without names"),
    (float, "unknown argument names|without names|has an argument"),
])
def test_what_is_no_real_function_is_refused(value, said):
    with pytest.raises(ValueError, match=said):
        isotherm.Solver(isotherm.Case(**LAPLACE, initial={"value": value}))


def test_given_arrays_are_the_cases_own():
    values = np.full((7, 9), 2.0)
    case = isotherm.Case(**LAPLACE, initial={"value": values})
    values[:] = 9.0

    assert isotherm.Solver(case).values()[3, 3] == 2.0
    assert isotherm.Solver(case.replace(initial={"value": np.array(4.0)})).values()[3, 3] == 4.0
    with pytest.raises(ValueError, match="is not a key"):
        case.replace(**{"initial.value": 3})


def test_arguments_with_defaults_and_ufuncs_are_given():
    by_default = isotherm.Case(**LAPLACE, initial={"value": lambda x=9.0, *, y=9.0: x + 2 * y})
    u = isotherm.Solver(by_default).values()
    assert u[3, 4] == 0.5 + 2 * 0.5
    hypot = isotherm.Solver(isotherm.Case(**LAPLACE, initial={"value": np.hypot})).values()
    assert hypot[3, 4] == np.hypot(0.5, 0.5)


def test_axes_have_names(plate):
    case = isotherm.Case(plate)
    np.testing.assert_array_equal(case.coordinates("y"), case.coordinates(1))
    for wrong in ("z", 2, -1, "xy"):
        with pytest.raises(ValueError, match="is not an axis of this grid"):
            case.coordinates(wrong)


def test_cases_can_be_pickled(plate):
    case = isotherm.Case(plate, initial={"value": np.ones((17, 33))}, method={"steps": 3})
    again = pickle.loads(pickle.dumps(case))

    np.testing.assert_array_equal(isotherm.run(again).u, isotherm.run(case).u)


def test_mistakes_in_files_name_the_line(plate):
    plate.write_text(plate.read_text().replace("steps = 200", "steps = -1"))

    with pytest.raises(ValueError, match=r"plate.toml:17: \[method\] steps"):
        isotherm.Case(plate)


def test_a_missing_file_is_what_python_says(tmp_path):
    with pytest.raises(FileNotFoundError):
        isotherm.Case(tmp_path / "none.toml")


def test_notebooks_show_a_case(plate):
    shown = isotherm.Case(plate, initial={"value": lambda x, y: x * y})._repr_html_()

    assert "plate" in shown and "a function of x, y" in shown and "data:image/png;base64," in shown
    assert "plate" in repr(isotherm.Case(plate))
