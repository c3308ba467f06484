#!/usr/bin/env bash
# excluded_test.sh PROGRAM SOURCE_DIR: insulated points have no values in statistics, probes and
# pictures, and the field "material" names what is where. The same bits on any number of ranks.
# ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# Flow along x through a plate whose lower part, three rows of points, is cut out: u = x elsewhere.
# The initial value 25 remains there. Points on the faces x_lower and x_upper have their value.
cat >case.toml <<END
title = "channel"
[grid]
points = [11, 11]
precision = "float64"
shapes = "points"      # so that the fixed point alone has the value
[equation]
type = "laplace"
[[material]]
where = "y > 0.75"
conductivity = 4.0
[[insulated]]
where = "y < 0.25"
[[fixed]]
where = "x > 0.45 && x < 0.55 && y > 0.95"
value = 0.5
[boundary]
x_lower = { type = "dirichlet", value = 0.0 }
x_upper = { type = "dirichlet", value = 1.0 }
y = { type = "neumann" }
[initial]
value = 25.0
[method]
name = "jacobi"        # the same bits on any number of ranks
iterations = 10000
tolerance = 1e-13
[output]
quantities = ["integral", "mean", "min", "max"]
fields = ["u", "material"]
[run]
device = "$device"
[[probe]]
name = "column"
from = [0.55, 0.0]
to = [0.55, 1.0]
points = 21
[[probe]]
name = "half"
at = [0.55, 0.28]
[[probe]]
name = "plane"
plane = { x = 0.6 }
[[probe]]
name = "cut"
plane = { y = 0.1 }
END

# Volumes in units of a cell: 7.5 rows of 10, and 2.5 rows of the halves at both faces.
expect 0 1 run case.toml --output whole
python3 - whole <<'END' || fail "other numbers than those of u = x"
import csv, json, math, sys
rows_of = lambda name: list(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv")))
def near(text, wanted):
    assert abs(float(text) - wanted) < 1e-11, (text, wanted)
numbers = rows_of("quantities")[-1]
near(numbers["min"], 0.0)
near(numbers["max"], 1.0)
near(numbers["mean"], 0.5)
near(numbers["integral"], 0.3875)
field = json.load(open(sys.argv[1] + "/summary.json"))["result"]["field"]
places = {"min_at": [0.0, 0.0], "max_at": [1.0, 0.0]}  # faces give values next to the insulated region, too
assert field == {name: float(numbers[name]) for name in ("min", "max", "mean")} | places, (field, numbers)
near(rows_of("probe_half")[-1]["value"], 0.55)
for name in ("mean", "min", "max"):
    near(rows_of("probe_plane")[-1][name], 0.6)
cut = rows_of("probe_cut")[-1]  # the ends of the row, at both faces
for name, wanted in {"mean": 0.5, "min": 0.0, "max": 1.0}.items():
    near(cut[name], wanted)
for number, row in enumerate(rows_of("probe_column")[-21:]):  # the points y = 0, 0.1, 0.2 are excluded
    if number <= 4:
        assert row["value"] == "nan", row
    else:
        near(row["value"], 0.55)
END
expect 0 1 verify whole

# The values of excluded points are stored. Materials are numbered.
expect 0 1 info whole --statistics --json
python3 - "$work/out" <<'END' || fail "other values in the file"
import json, sys
text = json.load(open(sys.argv[1]))
file = text[0] if isinstance(text, list) else text
material, u = sorted(file["statistics"], key=lambda one: one["field"])
assert (material["min"], material["max"], material["min_point"]) == (-2, 1, [5, 10, 0]), material
assert u["max"] == 25, u
END

for ranks in 2 3 4; do
  mkdir on$ranks  # the files contain the value of --output
  (cd on$ranks && expect 0 $ranks run ../case.toml --output whole --quiet)
  for file in quantities.csv probe_{column,half,plane,cut}.csv u.png; do
    cmp whole/$file on$ranks/whole/$file || fail "$file differs on $ranks ranks"
  done
  expect 0 1 compare whole on$ranks/whole
  said identical
  for run in whole on$ranks/whole; do
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["result"]["field"])' $run/summary.json
  done | uniq | wc -l | grep -qx 1 || fail "other statistics on $ranks ranks"
done
