#!/usr/bin/env bash
# flux_test.sh PROGRAM SOURCE_DIR: boundary fluxes are written at each check, are the same on any
# number of ranks and after resuming, and are reported at the end.
in_memory=yes
source "$(dirname "$0")/../support.sh"

cat >case.toml <<'END'
title = "wires"
[grid]
points = [40, 33]
upper  = [1.0, 0.8]
[equation]
type         = "diffusion"
conductivity = "1 + x"
source       = "3*x + t"
[[fixed]]
name  = "wire"
ball  = { center = [0.5, 0.4], radius = 0.1 }
value = "20 + x"
[[fixed]]
ball  = { center = [0.8, 0.4], radius = 0.1 }
value = 2
[[source]]
name  = "coil"
ball  = { center = [0.3, 0.3], radius = 0.05 }
power = "2 + t"
[[source]]
box     = { lower = [0.1, 0.1], upper = [0.2, 0.2] }
density = 3
[boundary]
x_lower = { type = "dirichlet", value = 1.0 }
x_upper = { type = "robin", coefficient = 3, value = 5.0 }
y       = { type = "neumann", value = 0.7 }
[method]
steps       = 90
check_every = 20
[output]
picture    = false
quantities = ["max", "heat", "energy", "flux"]
END
heading=iteration,time,max,heat,energy,flux_x_lower,flux_x_upper,flux_y_lower,flux_y_upper,flux_fixed_wire,flux_fixed_1,flux_source,flux_source_coil,flux_balance

expect 0 1 run case.toml --output whole
said '^flux  *[0-9.]* in, [0-9.]* out through whole faces, fixed and floating regions and sources, the box \(gains\|loses\) [0-9.]*$'
[[ $(sed -n 1p whole/quantities.csv) == "$heading" ]] || fail "other columns: $(sed -n 1p whole/quantities.csv)"
[[ $(cut -d, -f1 whole/quantities.csv | tr '\n' ' ') == "iteration 0 20 40 60 80 90 " ]] || fail "other rows"
# The source contains the coil's part, which is not added again.
awk -F, 'NR > 1 { sum = 0; for (i = 6; i < NF - 1; ++i) sum += $i; if ((sum - $NF) ^ 2 > 1e-18 * $10 ^ 2) exit 1 }' \
  whole/quantities.csv || fail "the balance is not the sum"
awk -F, 'NR > 1 && ($(NF - 1) - 2 - $2) ^ 2 > 1e-24 { exit 1 }' whole/quantities.csv || fail "another power of the coil"
# What the box gains is the rise of its heat, since the given values are constant.
awk -F, 'NR > 2 { rise = ($4 - heat) / ($2 - time); if ((2 * rise / ($NF + gain) - 1) ^ 2 > 2.5e-3) exit 1 }
         { time = $2; heat = $4; gain = $NF }' <(tail -n +3 whole/quantities.csv) || fail "the heat rises by something else"
last=$(tail -1 whole/quantities.csv)
grep -q "\"balance\": ${last##*,}" whole/summary.json || fail "the summary has another balance than $last"
holds whole/summary.json '"fixed_wire": '

for ranks in 2 3 4; do
  expect 0 $ranks run case.toml --output "on$ranks" --quiet
  cmp whole/quantities.csv on$ranks/quantities.csv || fail "other bits on $ranks ranks"
done
expect 0 2 run case.toml --output resumed --set method.steps=40 --quiet
expect 0 3 run case.toml --output resumed --resume --quiet
cmp whole/quantities.csv resumed/quantities.csv || fail "other rows after a resumption"
# Another name gives another column.
expect 2 1 run case.toml --output resumed --resume --set method.steps=100 --set fixed.0.name=pipe
complained 'goes into quantities.csv, which has other columns'

# A steady run reports its heat balance; without the key nothing is reported.
steady=(--set equation.type=poisson --set '!method' --set method.tolerance=1e-9 --set 'equation.source=3*x' \
  --set source.0.power=2 --set 'output.quantities=["max","flux"]')
expect 0 2 run case.toml --output steady "${steady[@]}"
said '^flux  *[0-9.]* in, [0-9.]* out through .*, balance '
awk -F, 'END { exit !($NF ^ 2 < 1e-12 * $7 ^ 2) }' steady/quantities.csv || fail "it does not balance"
expect 2 1 run case.toml --output heated "${steady[@]}" --set 'output.quantities=["heat"]'
complained 'quantities contains heat, but poisson has no heat capacity'
expect 0 1 run case.toml --output none "${steady[@]}" --set 'output.quantities=["max"]'
! grep -q '^flux' "$work/out" || fail "flux is said that was not asked for"
holds none/summary.json '"flux": null'

# All of a power enters through the part of its shape that lies within the grid, with a warning.
cat >power.toml <<END
[grid]
points = [21, 21]
[equation]
type = "poisson"
[[source]]
name  = "inside"
box   = { lower = [0.1, 0.1], upper = [0.2, 0.2] }
power = 2
[[source]]
name  = "heater"
box   = { lower = [0.4, 0.9], upper = [0.6, 1.4] }
power = 50
[boundary]
x = { type = "neumann" }
y_lower = { type = "dirichlet", value = 0.0 }
y_upper = { type = "neumann" }
[[boundary.patch]]
face  = "x_upper"
box   = { lower = [0.9, 0.75], upper = [1.3, 1.75] }
type  = "flux"
power = 8
[[material]]
box          = { lower = [-1.0, -1.0], upper = [0.5, 0.5] }
conductivity = 2
[method]
tolerance = 1e-9
[output]
picture    = false
quantities = ["flux"]
END
expect 0 1 run power.toml --output power
complained 'power.toml:11: \[source\] box: only 20 % of the box lies within the grid; the power enters through that part$'
complained 'power.toml:19: \[boundary.patch\] box: only 25 % of the box lies within the face; the power enters through that part$'
(($(grep -c 'enters through that part' "$work/err") == 2)) || fail "other warnings"
awk -F, 'END { exit !(($4 + 60) ^ 2 < 1e-8) }' power/quantities.csv || fail "another power"
# A grid beyond any memory is refused before areas are measured, and is named, not its probes.
expect 2 1 run power.toml --output large --set 'grid.points=[10000000, 10000000]'
complained '\[grid\] points makes 100000000000000 points, which need more than'
cat >large.toml <<'END'
[grid]
points = [1000000, 1000000]
[equation]
type = "laplace"
[boundary]
all = { type = "dirichlet" }
[[insulated]]
ball = { center = [0.2, 0.5], radius = 0.1 }
[[probe]]
name = "a"
at   = [0.5, 0.5]
[output]
quantities = ["mean"]
[method]
tolerance = 1e-9
END
expect 2 1 run large.toml --output large
complained '^isotherm: the case needs .* memory per rank'
echo "flux: all as it should be"
