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

# A half plane without its surface shuts the points on it, too: no unknown is left.
plate() {
  printf '%s\n' '[grid]' 'points = [11, 11]' '[equation]' 'type = "laplace"' '[boundary]' 'x = { type = "neumann" }' "$@" \
    '[method]' 'tolerance = 1e-9' '[output]' 'picture = false' '[run]' "device = \"$device\""
}
plate 'y_lower = { type = "flux", value = 1.0 }' 'y_upper = { type = "neumann" }' '[[insulated]]' 'where = "y > 0"' >half.toml
expect 2 2 run half.toml --output half
complained '^isotherm: half.toml:[0-9]*: \[insulated\] where.*: the regions leave no unknown'
sed -e 's/^where/name = "air"\n&/' -e 's/^\[method\]/[[convection]]\nof = "air"\nh = 1.0\nambient = 0.0\n&/' half.toml >air.toml
expect 2 1 run air.toml --output half
complained '^isotherm: air.toml:[0-9]*: \[insulated\] where.*: the regions leave no unknown'
# Half of the face: the other half has the linear solution 1 + 1 / 2 at x = 1.
plate 'y_lower = { type = "flux", value = 1.0 }' 'y_upper = { type = "dirichlet", value = 1.0 }' '[[insulated]]' \
  'where = "y > 0 && x < 0.95"' >part.toml
expect 0 1 run part.toml --output part --quiet
python3 - part <<'END' || fail "shut points have values"
import json, sys
field = json.load(open(sys.argv[1] + "/summary.json"))["result"]["field"]
assert abs(field["min"] - 1.0) < 1e-9 and field["max"] < 2.1, field
END

# A flux on a face that insulation shuts has no power.
plate 'y_lower = { type = "flux", value = 1.3 }' 'y_upper = { type = "dirichlet", value = 0.0 }' '[[insulated]]' \
  'box = { lower = [-1.0, -1.0], upper = [2.0, 0.1] }' >shut.toml
expect 0 1 run shut.toml --output shut
complained 'the flux 1.3 of the face y_lower enters nowhere, .* the power is 0 instead of 1.3$'

# A fin between two columns of points: seven rows of two volumes each, from y = 0.4 on.
fin=('[[insulated]]' 'box = { lower = [-1.0, 0.25], upper = [0.43, 2.0] }' '[[insulated]]'
     'box = { lower = [0.47, 0.25], upper = [2.0, 2.0] }')
plate 'y_lower = { type = "dirichlet", value = 1.0 }' 'y_upper = { type = "neumann" }' "${fin[@]}" >fin.toml
expect 0 1 run fin.toml --output fin
complained '14 control volumes of the medium lie near no grid point of it, the first at x = 0.4, y = 0.4: '
printf '%s\n' '[[probe]]' 'name = "tip"' 'at = [0.45, 0.8]' >>fin.toml
expect 2 1 run fin.toml --output fin --overwrite
complained '\[probe\] at lies in the medium, but no grid point near it does'

# All of the medium is such a strip: two films in series with it, from 2/3 to 1/3.
plate 'y_lower = { type = "convection", h = 1.0, ambient = 1.0 }' 'y_upper = { type = "convection", h = 1.0, ambient = 0.0 }' \
  "${fin[@]}" | sed 's/0.25\]/-1.0]/' >strip.toml
expect 0 1 run strip.toml --output strip
complained '22 control volumes'
said 'min 0.333333 at .*, max 0.666667 at '
