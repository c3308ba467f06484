"""The examples of docs/tutorials/python.md print what the page shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import has_device

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "python.md"
PROGRAMS = re.findall(r"^```python\n# (\S+\.py)[^\n]*\n(.*?)^```", PAGE.read_text(encoding="utf-8"),
                      re.MULTILINE | re.DOTALL)


def test_there_are_four():
    assert len(PROGRAMS) == 4


@pytest.mark.parametrize(("name", "program"), PROGRAMS, ids=[name for name, _ in PROGRAMS])
def test_the_example_runs(name, program, tmp_path):
    for module in re.findall(r"^import (\w+)", program, re.MULTILINE):
        pytest.importorskip(module)
    if "cupy" in program and not has_device():
        pytest.skip("no CUDA device")
    (tmp_path / name).write_text(program)
    done = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True,
                          timeout=600, check=False, env={**__import__("os").environ, "MPLBACKEND": "Agg"})

    assert done.returncode == 0, done.stderr
    for line in re.findall(r"^# prints: (.*)$", program, re.MULTILINE):
        assert line in done.stdout
    for file in re.findall(r"\"(\w+\.png)\"", program):
        assert (tmp_path / file).stat().st_size > 1000
