#!/usr/bin/env bash
# implicit_nonlinear_test.sh PROGRAM SOURCE_DIR: implicit time steps whose coefficients depend on
# the solution: expressions of u, tables, radiation and latent heat, and their refusals.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

# A wall of two materials between a hot fluid and a radiating face.
cat >copper.csv <<'END'
u,conductivity
273,401
473,389
1273,330
END
cat >film.csv <<'END'
u [K],h [W/(m2 K)]
300,20
900,35.5
END
cat >wall.toml <<'END'
title = "wall"
[grid]
points = [17, 9]
upper = [0.08, 0.04]
[equation]
type = "diffusion"
conductivity = "15 + 0.01*u + 3*sin(t/30)"
capacity = "3.6e6 + 900*u"
source = "1e5 - 20*u"
[[material]]
box = { lower = [0.0, 0.0], upper = [0.021, 0.04] }
conductivity = { table = "copper.csv" }
capacity = 3.4e6
[boundary]
y = { type = "neumann", value = 0.0 }
x_lower = { type = "convection", h = { table = "film.csv" }, ambient = "900 + 100*sin(t/50)" }
x_upper = { type = "radiation", emissivity = 0.8, ambient = "300 + t", absolute_zero = 0.0 }
[initial]
value = 300.0
[method]
name = "backward_euler"
time_step = 20.0
steps = 8
step_tolerance = 1e-11
[output]
quantities = ["heat", "flux", "max"]
END
for method in backward_euler crank_nicolson; do
  set=(--set "method.name=\"$method\"")
  expect 0 1 run wall.toml --dry-run "${set[@]}"
  said "method  *$method, 8 steps of 20"
  expect 0 1 run wall.toml --output $method "${set[@]}" --set checkpoint.every=1 --set checkpoint.keep=9
  said "done  *8 steps, t = 160"
  holds $method/summary.json '"linear_iterations": [1-9]'
  # Resumed runs end with the same bits.
  for at in 1 3; do
    expect 0 1 run wall.toml --output $method-$at "${set[@]}" --set method.steps=$at --quiet
    expect 0 1 run wall.toml --output $method-$at "${set[@]}" --resume
    said "resumed .*iteration $at"
    same_field $method/u_000008.vtkhdf $method-$at/u_000008.vtkhdf
  done
  # A copy of the case in the run's directory finds the tables.
  (cd / && "$program" run "$OLDPWD/$method/case.toml" --dry-run) >"$work/out"
  # On more ranks the field agrees within the tolerance.
  for ranks in 2 3; do
    expect 0 $ranks run wall.toml --output $method-ranks-$ranks "${set[@]}" --quiet
    expect 0 1 compare $method/u_000008.vtkhdf $method-ranks-$ranks/u_000008.vtkhdf --tolerance 1e-9
  done
done
# A field beyond the rows of a table is mentioned.
expect 0 1 run wall.toml --output cold --set initial.value=250 --set method.steps=1
complained 'warning: the field reaches 2[0-9.]*, but the table of heat transfer coefficient of x_lower begins at 300'
# The heat that a step of backward Euler stores is the flow at its end, times its length.
stores_inflow backward_euler/quantities.csv 20 1e-7 8

# A thin plate radiates to empty space: T = T0 (1 + 3 k T0³ t)^(-1/3), k = ε σ / (c L).
cat >plate.toml <<'END'
title = "plate"
[grid]
points = [5, 3]
upper = [1e-3, 1e-3]
[equation]
type = "diffusion"
conductivity = 400.0
capacity = 3.4e6
[boundary]
y = { type = "neumann", value = 0.0 }
x_lower = { type = "neumann", value = 0.0 }
x_upper = { type = "radiation", emissivity = 0.8, ambient = 0.0, absolute_zero = 0.0 }
[initial]
value = 1200.0
[method]
name = "crank_nicolson"
time_step = 1.0
end_time = 100.0
[output]
quantities = ["mean"]
END
expect 0 1 run plate.toml --output plate --quiet
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  { mean = $column["mean"] }
  END {
    wanted = 1200 * (1 + 3 * 0.8 * 5.670374419e-8 / 3.4e3 * 1200 ^ 3 * 100) ^ (-1 / 3)
    exit (mean - wanted) ^ 2 > (2e-4 * wanted) ^ 2
  }' plate/quantities.csv || fail "the plate does not cool as it should"

# Water freezes from a cold wall: the front is at 2 λ √t, λ = 0.4648 (F. Neumann). The heat that
# the ice has lost is known from it.
# Sensible heat 1 per unit, latent heat 20 between -0.1 and 0.
cat >ice.csv <<'END'
u,H
-20,-39.9
-0.1,-20
0,0
5,5
END
cat >ice.toml <<'END'
title = "ice"
[grid]
points = [101, 3]
upper = [1.0, 0.02]
[equation]
type = "diffusion"
capacity = { enthalpy = "ice.csv" }
[boundary]
y = { type = "neumann", value = 0.0 }
x_lower = { type = "dirichlet", value = -10.0 }
x_upper = { type = "neumann", value = 0.0 }
[method]
name = "backward_euler"
time_step = 2.5e-3
end_time = 0.25
[output]
quantities = ["heat"]
[[probe]]
name = "line"
from = [0.0, 0.0]
to = [1.0, 0.0]
points = 1001
END
expect 0 1 run ice.toml --output ice --quiet
tail -n 1001 ice/probe_line.csv | awk -F, '
  $NF < -0.05 { frozen = NR / 1000 }
  END { wanted = 2 * 0.4648 * sqrt(0.25); exit (frozen - wanted) ^ 2 > (0.02 * wanted) ^ 2 }' ||
  fail "the front of the ice is not where it should be"

# Bad input: one line, which names file, line and key.
refused_run '\[method\] name is "ftcs", but a coefficient depends on t (needs "backward_euler" or "crank_nicolson")' \
  wall.toml --set 'method.name="ftcs"'
sed '/^name = /d; /^step_tolerance/d' wall.toml >default.toml
refused_run 'default.toml:.*name is "ftcs" by default, but a coefficient depends on t' default.toml
refused_run 'step_solver is "direct", but a coefficient depends on t' wall.toml --set 'method.step_solver="direct"'
refused_run 'needs \[grid\] precision = "float64"' wall.toml --set 'grid.precision="float32"'
refused_run 'the capacity is -3.*where u = 300' wall.toml --set 'equation.capacity="-10*u"'
refused_run 'capacity depends on t, the time' wall.toml --set 'equation.capacity="1 + t"'
refused_run 'depends on t' wall.toml \
  --set 'boundary.x_upper={type="radiation", emissivity="0.8 + t", ambient=300, absolute_zero=0}'
refused_run 'a given value is -300, below absolute_zero = -273.15' plate.toml --set initial.value=-300 \
  --set 'boundary.x_upper={type="radiation", emissivity=0.8, ambient=0, absolute_zero=-273.15}'
refused_run 'contains heat, but the capacity is not a positive number' wall.toml --set 'equation.capacity="1e6/u"'
refused_run 'contains energy.*leave it out' wall.toml --set 'output.quantities=["energy"]'
refused_run 'is a function of u, on which this value may not depend' wall.toml \
  --set 'boundary.x_lower={type="dirichlet", value={table="copper.csv"}}'
refused_run 'enthalpy applies only to capacity' wall.toml --set 'equation.conductivity={enthalpy="ice.csv"}'
refused_run 'file conflicts with table' wall.toml --set 'equation.capacity={table="copper.csv", file="a.csv"}'

# Tables: the message names the line of the case, and the row.
table() { # PATTERN ROWS...: refused as a table of the capacity
  printf '%s\n' "${@:2}" >bad.csv
  sed 's/^capacity = "3.*/capacity = { table = "bad.csv" }/' wall.toml >bad.toml
  refused "bad.toml:8: \[equation.capacity\] table: .*bad.csv$1" bad.toml
}
table ': line 3: "u" is 1, not above that of the row before (1)' u,c 1,2 1,3
table ': line 2: "c" is not a finite number' u,c 1,two 3,4
table ': has 3 columns' u,c,d 1,2,3 4,5,6
table ': has 1 row below' u,c 1,2
rm bad.csv
refused_run 'bad.toml:8: \[equation.capacity\] table: .*bad.csv' bad.toml
printf 'u,c\n' >bad.csv
head -c 1100000 /dev/zero | tr '\0' '1' >>bad.csv
refused_run 'bad.csv.*1 MiB' bad.toml
printf '%s\n' u,c 200,4e6 400,-1 >bad.csv
refused_run 'bad.toml:8: \[equation\] capacity is -1 where u = 400 (needs a number above 0)' bad.toml
sed 's/{ table = "bad/{ enthalpy = "bad/' bad.toml >enthalpy.toml
refused_run 'enthalpy.toml:8: .*line 3: "c" is -1, not above that of the row before' enthalpy.toml

# A step without solution ends the run on all ranks with one line, and without its field.
cat >rise.toml <<'END'
title = "rise"
[grid]
points = [5, 4]
[equation]
type = "diffusion"
source = "u^2"
[boundary]
all = { type = "neumann", value = 0.0 }
[initial]
value = 1.0
[method]
name = "backward_euler"
time_step = 0.2
steps = 20
END
for ranks in 1 2; do
  expect 3 $ranks run rise.toml --output rise-$ranks --quiet
  complained 'the step to t = .* did not converge: after .* iterations of Newton'
  [[ $(grep -c isotherm: "$work/err") == 1 ]] || fail "more than one line of errors"
  holds rise-$ranks/summary.json '"status": "not-converged"'
  [[ ! -e rise-$ranks/u_000020.vtkhdf ]] || fail "a failed run has a final field"
done

echo "implicit steps with coefficients of u: all as it should be"
