#!/usr/bin/env bash
# patches_test.sh PROGRAM SOURCE_DIR: the flux of each patch has a column, and the energy between
# electrodes is half of the sum of value · flux. Also two more numbers of shapes: extremes leave out
# points beyond a surface, and a source between grid points has a warning.
in_memory=yes
pictures=no
source "$(dirname "$0")/../support.sh"

# numbers TABLE EXPRESSION: evaluates a Python expression with q, the last row of a table.
numbers() {
  python3 - "$1" "$2" <<'END' || fail "not so in $1: $2"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
q = {name: float(text) for name, text in rows[-1].items()}
near = lambda a, b, error: abs(a - b) <= error * abs(b)
if not eval(sys.argv[2], {"q": q, "near": near, "sum": sum}):
    print(q, file=sys.stderr)
    sys.exit(1)
END
}

# Two electrodes on one face whose rest is insulated. The plate opposite is grounded.
cat >strip.toml <<END
[grid]
points = [41, 21]
upper = [0.02, 0.01]
[equation]
type = "laplace"
[boundary]
all = { type = "neumann", value = 0.0 }
y_upper = { type = "dirichlet", value = 0.0 }
[[boundary.patch]]
face = "y_lower"
name = "a"
box = { lower = [0.003, 0.0], upper = [0.008, 0.0] }
type = "dirichlet"
value = 1.0
[[boundary.patch]]
face = "y_lower"
box = { lower = [0.0121, 0.0], upper = [0.0163, 0.0] }
type = "dirichlet"
value = -3.0
[method]
tolerance = 1e-11
[output]
quantities = ["energy", "flux"]
[run]
device = "$device"
END
expect 0 1 run strip.toml --output strip --quiet
heading=iteration,energy,flux_x_lower,flux_x_upper,flux_y_lower,flux_y_upper,flux_patch_a,flux_patch_1,flux_source,flux_balance
[[ $(sed -n 1p strip/quantities.csv) == "$heading" ]] || fail "other columns: $(sed -n 1p strip/quantities.csv)"
numbers strip/quantities.csv 'near(2 * q["energy"], q["flux_patch_a"] - 3 * q["flux_patch_1"], 1e-8)'
numbers strip/quantities.csv 'near(q["flux_patch_a"] + q["flux_patch_1"], q["flux_y_lower"], 1e-12)'
holds strip/summary.json '"patch_a": '
expect 0 3 run strip.toml --output on3 --quiet --set method.name=jacobi --set method.iterations=300 --set '!method.tolerance'
expect 0 1 run strip.toml --output on1 --quiet --set method.name=jacobi --set method.iterations=300 --set '!method.tolerance'
cmp on1/quantities.csv on3/quantities.csv || fail "other bits on 3 ranks"
# Patches of one name have one column. A name must not be the number of another patch.
expect 0 1 run strip.toml --output one --quiet --set boundary.patch.1.name=a
numbers one/quantities.csv 'near(q["flux_patch_a"], q["flux_y_lower"], 1e-12)'
expect 2 1 run strip.toml --output bad --set 'boundary.patch.0.name="1"'
complained 'a \[\[boundary.patch\]\] is named "1", which is the number of another, unnamed one'

# Other kinds of patches on one face, and coefficients that depend on the temperature.
cat >kinds.toml <<END
[grid]
points = [41, 21]
upper = [2.0, 1.0]
[equation]
type = "poisson"
conductivity = "2 + 0.001*u"
[boundary]
all = { type = "neumann", value = 0.0 }
y_upper = { type = "dirichlet", value = 300.0 }
y_lower = { type = "convection", h = 0.5, ambient = 280.0 }
$(patch() { printf '[[boundary.patch]]\nface = "y_lower"\nname = "%s"\nbox = { lower = [%s, 0.0], upper = [%s, 0.0] }\n%s\n' "$@"; }
  patch heater 0.63 0.88 'type = "flux"
power = 120.0'
  patch air 1.07 1.33 'type = "convection"
h = "3 + 0.01*u"
ambient = 250.0'
  patch sky 1.57 1.79 'type = "radiation"
emissivity = 0.8
absolute_zero = 0.0
ambient = 200.0')
[method]
tolerance = 1e-9
[output]
quantities = ["flux", "min", "max"]
[run]
device = "$device"
END
expect 0 1 run kinds.toml --output kinds --quiet
numbers kinds/quantities.csv 'near(q["flux_patch_heater"], 120.0, 1e-12)'
numbers kinds/quantities.csv 'q["flux_patch_air"] < 0 and q["flux_patch_sky"] < 0'
# Without the film, the patches have all of the flow through their face.
expect 0 1 run kinds.toml --output bare --quiet --set 'boundary.y_lower={ type = "neumann", value = 0.0 }'
numbers bare/quantities.csv \
  'near(sum(q["flux_patch_" + name] for name in ("heater", "air", "sky")), q["flux_y_lower"], 1e-12)'
numbers bare/quantities.csv 'abs(q["flux_balance"]) < 1e-5 * q["flux_patch_heater"]'

# A heated disc of the radius 5 in air: u = 2.5 q + q (25 − r²) / 4 with q = 4. The grid has points on
# its surface, where u is 10. Beyond, at (4, 4), the same function is 3.
cat >disc.toml <<END
[grid]
points = [13, 13]
lower = [-6.0, -6.0]
upper = [6.0, 6.0]
[equation]
type = "poisson"
source = 4.0
[[insulated]]
name = "air"
ball = { center = [0.0, 0.0], radius = 5.0 }
outside = true
[[convection]]
of = "air"
h = 1.0
ambient = 0.0
[boundary]
all = { type = "neumann" }
[method]
tolerance = 1e-10
[output]
quantities = ["min", "max", "mean"]
[[probe]]
name = "row"
plane = { x = 4.0 }
[run]
device = "$device"
END
expect 0 1 run disc.toml --output disc
numbers disc/quantities.csv 'near(q["min"], 10.0, 0.02) and near(q["max"], 35.0, 0.02) and near(q["mean"], 22.5, 0.03)'
numbers disc/probe_row.csv 'near(q["min"], 10.0, 0.02) and near(q["max"], 19.0, 0.02)'
python3 - <<'END' || fail "other extremes in the summary"
import json
field = json.load(open("disc/summary.json"))["result"]["field"]
assert abs(field["min"] - 10.0) < 0.2, field
assert abs(sum(at * at for at in field["min_at"]) - 25.0) < 1e-9, field
END

# A well on a grid point has no warning; between points it is shared.
well() { printf '%s\n' '[grid]' 'points = [41, 41]' '[equation]' 'type = "poisson"' '[boundary]' \
  'all = { type = "dirichlet", value = 0.0 }' '[[source]]' 'name = "A"' "at = $1" 'power = -2.0' '[run]' "device = \"$device\""; }
for at in '[0.5, 0.5]' '[0.5, 0.51]' '[0.51, 0.51]'; do
  well "$at" >well.toml
  expect 0 1 run well.toml --output well --overwrite
  case $at in
    '[0.5, 0.5]') ! grep -q 'equivalent radius' "$work/err" "$work/out" || fail "a warning of a well on a point" ;;
    '[0.5, 0.51]') complained 'the source "A" lies between grid points: 2 points share its power, .*such as x = 0.5, y = 0.5)$' ;;
    *) complained 'the source "A" lies between grid points: 4 points share its power' ;;
  esac
done
