"""Values and surfaces in files that NumPy and other programs have written."""

import struct

import numpy as np
import pytest

import isotherm

POINTS = {"points": [9, 7], "lower": [0, 0], "upper": [2, 1]}
BOX = {"points": [9, 9, 9], "lower": [0, 0, 0], "upper": [1, 1, 1]}
FIXED = {"all": {"type": "dirichlet", "value": 0}}


def poisson(folder, source, **sections):
    """Reads a case whose files lie in a folder, as a user writes it."""
    (folder / "case.toml").write_text("""
[grid]
points = [9, 7]
lower = [0.0, 0.0]
upper = [2.0, 1.0]
[equation]
type = "poisson"
source = 1.0
[boundary]
all = { type = "dirichlet", value = 0.0 }
[method]
tolerance = 1e-10
""")
    return isotherm.Case(folder / "case.toml", equation={"source": source}, **sections)


@pytest.fixture
def values():
    return np.random.default_rng(1).random((7, 9)) + 0.5


@pytest.mark.parametrize("kind", ["float64", "float32", ">f8", "int16", "fortran", "npz", "compressed", "matrix",
                                  "table"])
def test_files_give_the_same_field_as_the_array(tmp_path, values, kind):
    source = {"file": "q.npy"}
    if kind in ("npz", "compressed"):
        save = np.savez if kind == "npz" else np.savez_compressed
        save(tmp_path / "q.npz", other=np.zeros(3), q=values)
        source = {"file": "q.npz", "dataset": "q"}
    elif kind == "matrix":
        np.savetxt(tmp_path / "q.csv", values, delimiter=",")
        source = {"file": "q.csv"}
    elif kind == "table":
        y, x = np.meshgrid(np.linspace(0, 1, 7), np.linspace(0, 2, 9), indexing="ij")
        table = np.random.default_rng(2).permutation(np.stack([x.ravel(), y.ravel(), values.ravel()], axis=1))
        np.savetxt(tmp_path / "q.csv", table, delimiter=",", header="x,y,heat", comments="")
        source = {"file": "q.csv", "dataset": "heat"}
    elif kind == "fortran":
        np.save(tmp_path / "q.npy", np.asfortranarray(values))
    else:
        values = (10 * values).astype(kind)
        np.save(tmp_path / "q.npy", values)
    there = isotherm.run(poisson(tmp_path, source)).u

    np.testing.assert_array_equal(there, isotherm.run(poisson(tmp_path, values)).u)


def test_values_of_a_face_and_a_mask_above_a_bound(tmp_path, values):
    np.save(tmp_path / "edge.npy", np.arange(9.0))
    np.save(tmp_path / "k.npy", values)
    solver = isotherm.Solver(poisson(
        tmp_path, 0, boundary={"y_lower": {"type": "dirichlet", "value": {"file": "edge.npy"}}},
        fixed=[{"where": {"file": "k.npy", "above": 1.2}, "value": 5}]))

    np.testing.assert_array_equal(solver.u[0, 1:-1], np.arange(9.0)[1:-1])
    np.testing.assert_array_equal(solver.u[1:-1, 1:-1] == 5, values[1:-1, 1:-1] > 1.2)


@pytest.mark.parametrize(("file", "said"), [
    ("q.tif", 'magick q.tif q.png; a stack in Python: numpy.save("q.npy", tifffile.imread("q.tif")))'),
    ("q.jpe", "of pictures, only PNG is read (convert it: magick q.jpe q.png)"),
    ("q.mat", "scipy.io.loadmat"),
    ("q.npy", "its shape is (9, 7), the grid's is (7, 9) (y, x)"),
])
def test_other_files_are_refused_with_a_way_out(tmp_path, values, file, said):
    np.save(tmp_path / "q.npy", values.T)
    (tmp_path / "q.tif").write_bytes(b"II*")
    (tmp_path / "q.jpe").write_bytes(b"\xff\xd8")
    (tmp_path / "q.mat").write_bytes(b"MATLAB")
    with pytest.raises(ValueError, match="case.toml|equation.source") as fault:
        poisson(tmp_path, {"file": file})

    assert said in str(fault.value) and "\n" not in str(fault.value)


def stl_of_ball(file, radius, centre, n):
    """Writes a closed surface of triangles around a ball."""
    theta, phi = np.linspace(0, np.pi, n + 1), np.linspace(0, 2 * np.pi, 2 * n + 1)
    places = np.stack([np.outer(np.sin(theta), np.cos(phi)), np.outer(np.sin(theta), np.sin(phi)),
                       np.outer(np.cos(theta), np.ones_like(phi))], axis=-1)
    places[:, -1] = places[:, 0]
    places[0], places[-1] = places[0, 0], places[-1, 0]
    places = (np.array(centre) + radius * places).astype("<f4")
    triangles = []
    for i in range(n):
        for j in range(2 * n):
            a, b, c, d = places[i, j], places[i + 1, j], places[i + 1, j + 1], places[i, j + 1]
            triangles += [(a, b, d), (d, b, c)]
    with file.open("wb") as out:
        out.write(b"ball".ljust(80) + struct.pack("<I", len(triangles)))
        for corners in triangles:
            out.write(bytes(12) + np.concatenate(corners).tobytes() + bytes(2))


def test_a_body_from_a_surface_heats_like_the_exact_shape(tmp_path):
    stl_of_ball(tmp_path / "ball.stl", 300, (500, 480, 520), 48)  # in millimetres
    ball = {"center": [0.5, 0.48, 0.52], "radius": 0.3}
    surface = {"file": str(tmp_path / "ball.stl"), "scale": 0.001}

    def field(**region):
        return isotherm.run(isotherm.Case(
            grid=BOX, equation={"type": "poisson", "conductivity": 1}, boundary=FIXED, method={"tolerance": 1e-8},
            material=[{"conductivity": 20, **region}], source=[{"power": 1.0, **region}])).u

    exact, meshed = field(ball=ball), field(stl=surface)
    assert np.abs(meshed - exact).max() < 0.01 * exact.max()


def test_an_open_surface_is_refused_with_the_number_of_open_edges(tmp_path):
    stl_of_ball(tmp_path / "ball.stl", 0.3, (0.5, 0.5, 0.5), 8)
    whole = (tmp_path / "ball.stl").read_bytes()
    at = 84 + 50 * 40
    (tmp_path / "open.stl").write_bytes(whole[:80] + struct.pack("<I", (len(whole) - 84) // 50 - 1) + whole[84:at]
                                        + whole[at + 50:])
    with pytest.raises(ValueError, match=r"open.stl is not a closed surface: it has 3 open edges"):
        isotherm.Case(grid=BOX, equation={"type": "laplace"}, boundary=FIXED,
                      fixed=[{"stl": {"file": str(tmp_path / "open.stl")}, "value": 1}])
