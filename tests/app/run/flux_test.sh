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
[boundary]
x_lower = { type = "dirichlet", value = 1.0 }
x_upper = { type = "robin", coefficient = 3, value = 5.0 }
y       = { type = "neumann", value = 0.7 }
[method]
steps       = 90
check_every = 20
[output]
picture    = false
quantities = ["max", "flux"]
END
heading=iteration,time,max,flux_x_lower,flux_x_upper,flux_y_lower,flux_y_upper,flux_fixed_wire,flux_fixed_1,flux_source,flux_balance

expect 0 1 run case.toml --output whole
said '^flux  *[0-9.]* in, [0-9.]* out, the box \(gains\|loses\) [0-9.]*$'
[[ $(sed -n 1p whole/quantities.csv) == "$heading" ]] || fail "other columns: $(sed -n 1p whole/quantities.csv)"
[[ $(cut -d, -f1 whole/quantities.csv | tr '\n' ' ') == "iteration 0 20 40 60 80 90 " ]] || fail "other rows"
awk -F, 'NR > 1 { sum = 0; for (i = 4; i < NF; ++i) sum += $i; if ((sum - $NF) ^ 2 > 1e-18 * $8 ^ 2) exit 1 }' \
  whole/quantities.csv || fail "the balance is not the sum"
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
steady=(--set equation.type=poisson --set '!method' --set method.tolerance=1e-9 --set 'equation.source=3*x')
expect 0 2 run case.toml --output steady "${steady[@]}"
said '^flux  *[0-9.]* in, [0-9.]* out, balance '
awk -F, 'END { exit !($NF ^ 2 < 1e-12 * $7 ^ 2) }' steady/quantities.csv || fail "it does not balance"
expect 0 1 run case.toml --output none "${steady[@]}" --set 'output.quantities=["max"]'
! grep -q '^flux' "$work/out" || fail "flux is said that was not asked for"
holds none/summary.json '"flux": null'
echo "flux: all as it should be"
