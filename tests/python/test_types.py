"""mypy accepts the package, its stubs, and a program that uses it; and it finds mistakes."""

import subprocess
import sys
from pathlib import Path

import pytest

import isotherm

pytest.importorskip("mypy", reason="mypy is not installed (is PyPI out of reach?)")
HERE = Path(__file__).parent
PACKAGE = Path(isotherm.__file__).parent


def mypy(tmp_path, *arguments):
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), *map(str, arguments)],
                          cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_package_and_a_program_that_uses_it(tmp_path):
    mistakes = tmp_path / "mistakes.py"
    mistakes.write_text("import isotherm\n"
                        "isotherm.Case(3)\n"
                        "isotherm.Solver('case.toml')\n"
                        "isotherm.Solver(isotherm.Case('a')).advance('1')\n"
                        "isotherm.run('case.toml', until='soon')\n")
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_core.pyi").exists()
    code, said = mypy(tmp_path, "--ignore-missing-imports", "--disallow-untyped-defs", "--check-untyped-defs",
                      "-p", "isotherm", "--follow-imports=silent")
    assert code == 0, said

    code, said = mypy(tmp_path, "--ignore-missing-imports", HERE / "typed_use.py")
    assert code == 0, said

    code, said = mypy(tmp_path, "--ignore-missing-imports", mistakes)
    wrong = [line for line in said.splitlines() if "error:" in line]
    assert code == 1 and len(wrong) == 4, said
