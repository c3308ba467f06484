#!/usr/bin/env bash
# adaptive_steps_test.sh PROGRAM SOURCE_DIR: time steps that are divided to bound their error
# (time_tolerance), steps that cannot be solved, and coefficients of faces that vary in time.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

# A slab that is quenched at t = 0, and again at t = 0.5.
cat >quench.toml <<'END'
title = "quench"
[grid]
points = [33, 17]
upper = [1.0, 0.5]
[equation]
type = "diffusion"
[boundary]
y = { type = "neumann", value = 0.0 }
x_lower = { type = "dirichlet", value = "t < 0.5 ? 0 : 2" }
x_upper = { type = "neumann", value = 0.0 }
[initial]
value = 1.0
[method]
name = "backward_euler"
time_step = 0.25
time_tolerance = 1e-2
end_time = 1.6
step_tolerance = 1e-9
step_solver = "multigrid"
[output]
snapshot_times = [0.1, 0.6]
quantities = ["max"]
[checkpoint]
every = 1
keep = 99
END
expect 0 1 run quench.toml --dry-run
said 'method  *backward_euler, 7 steps of 0.1 to 0.25, which end at 2 output times before the end, divided so that each has an error of at most 0.01 (estimated)'
said 'time  *approximately .* for 7 steps if none is divided'
expect 0 1 run quench.toml --output whole
said 'time steps  *[0-9]* accepted of [0-9.e-]* to 0.125, [0-9]* rejected'
for key in accepted rejected shortest_s longest_s; do
  holds whole/summary.json "\"$key\": [1-9]\|\"$key\": 0\.[0-9]\|\"$key\": [0-9.]*e-"
done
holds whole/summary.json '"time_tolerance": 0.01'
holds whole/report.html 'divided steps'
accepted=$(grep -o '"accepted": [0-9]*' whole/summary.json | grep -o '[0-9]*$')
((accepted > 20 && accepted < 300)) || fail "$accepted steps"
# Steps end at the output times and at the end.
cut -d, -f2 whole/quantities.csv >times.txt
for time in 0.1 0.6 1.6; do grep -qx "$time" times.txt || fail "no step ends at $time"; done

# The same bits on any number of ranks, and from any checkpoint.
for ranks in 2 3; do
  expect 0 $ranks run quench.toml --output ranks-$ranks --quiet
  same_field whole/u_000007.vtkhdf ranks-$ranks/u_000007.vtkhdf
done

for at in 1 4 6; do
  from=whole/u_00000$at.vtkhdf
  for ranks in 1 3; do
    expect 0 $ranks run quench.toml --output "cut-$at-$ranks" --resume $from --quiet
    same_field whole/u_000007.vtkhdf "cut-$at-$ranks/u_000007.vtkhdf"
    for key in accepted rejected shortest_s longest_s; do
      [[ $(grep "\"$key\"" whole/summary.json) == "$(grep "\"$key\"" "cut-$at-$ranks/summary.json")" ]] ||
        fail "resumed at $at on $ranks ranks, $key differs"
    done
  done
done

# The same with a direct solution, by conjugate gradients, and with a coefficient of u. There the
# sums depend on the number of ranks.
sed 's/^points.*/points = [17, 5]/; s/^time_tolerance.*/time_tolerance = 0.05/' quench.toml >small.toml
sed 's/"multigrid"/"direct"/' small.toml >direct.toml
sed 's/^type = "diffusion"/&\nconductivity = "1 + x"/' small.toml >medium.toml
sed 's/^type = "diffusion"/&\nconductivity = "1 + u"/; s/"backward_euler"/"crank_nicolson"/; /^step_solver/d' \
  small.toml >dependent.toml
for kind in direct medium dependent; do
  expect 0 1 run $kind.toml --output $kind --quiet
  expect 0 3 run $kind.toml --output $kind-3 --quiet
  expect 0 1 compare $kind/u_000007.vtkhdf $kind-3/u_000007.vtkhdf --tolerance 1e-6
  for at in 1 5; do
    expect 0 1 run $kind.toml --output $kind-cut-$at --resume $kind/u_00000$at.vtkhdf --quiet
    same_field $kind/u_000007.vtkhdf $kind-cut-$at/u_000007.vtkhdf
  done
  # Fewer steps with a larger tolerance, and the first step may be given.
  expect 0 1 run $kind.toml --output $kind-coarse --quiet --set method.time_tolerance=0.3 \
    --set method.first_step=1e-4
  steps() { grep -o '"accepted": [0-9]*' "$1/summary.json" | grep -o '[0-9]*$'; }
  (($(steps $kind-coarse) < $(steps $kind))) || fail "a larger tolerance does not save steps"
done
# Another tolerance may continue a run.
expect 0 1 run quench.toml --output looser --resume whole/u_000004.vtkhdf --quiet \
  --set method.time_tolerance=0.05

# Bad input: one line, which names file, line and key.
refused_run 'method.time_tolerance=0: .*time_tolerance is 0 (needs a number above 0)' quench.toml --set method.time_tolerance=0
refused_run 'time_tolerance belongs to "backward_euler"' quench.toml --set 'method.name="ftcs"'
refused_run 'first_step is 0.5, but no step is longer than time_step, 0.25' quench.toml --set method.first_step=0.5
sed 's/^time_tolerance.*/shortest_step = 1e-3/' quench.toml >fixed.toml
refused_run 'fixed.toml:16: \[method\] shortest_step applies only with time_tolerance' fixed.toml
refused_run 'first_step is 1e-04, but shortest_step is 0.001 (needs a larger number)' quench.toml \
  --set method.first_step=1e-4 --set method.shortest_step=1e-3

# A step that would be too short ends the run on all ranks with one line and exit code 3.
for ranks in 1 3; do
  expect 3 $ranks run quench.toml --output short-$ranks --quiet --set method.shortest_step=1e-2
  complained 'the estimated error of the step from t = 0 is .*, but time_tolerance is 0.01, and the step of 0.0125 cannot be shortened'
  [[ $(grep -c isotherm: "$work/err") == 1 ]] || fail "more than one line of errors"
  holds short-$ranks/summary.json '"status": "not-converged"'
  holds short-$ranks/summary.json '"exit_code": 3'
done
# It continues with shorter ones.
expect 0 1 run quench.toml --output short-1 --resume-or-overwrite --quiet

# A coefficient of convection that varies in time: a plate that conducts well cools as
# exp(−∫ 2 h dt), on each number of ranks.
cat >film.toml <<'END'
title = "film"
[grid]
points = [9, 5]
upper = [1.0, 0.5]
[equation]
type = "diffusion"
conductivity = 1e5
source = "-0.1*u*t"
[boundary]
y = { type = "neumann", value = 0.0 }
x = { type = "convection", h = "t < 1 ? 0.1 : 0.1*(2 - cos(t - 1))", ambient = 0.0 }
[initial]
value = 1.0
[method]
name = "crank_nicolson"
time_step = 0.02
end_time = 2.0
step_tolerance = 1e-11
[output]
quantities = ["mean", "flux"]
END
expect 0 1 run film.toml --output film --quiet
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  { mean = $column["mean"]; flux = $column["flux_x_lower"] }
  END {
    wanted = exp(-2 * 0.1 * (1 + 2 - sin(1)) - 0.1 * 2)
    inflow = -0.1 * (2 - cos(1)) * wanted * 0.5
    exit (mean - wanted) ^ 2 > (1e-4 * wanted) ^ 2 || (flux - inflow) ^ 2 > (1e-3 * inflow) ^ 2
  }' film/quantities.csv || fail "the plate does not cool as it should"
expect 0 3 run film.toml --output film-3 --quiet
expect 0 1 compare film/u_000100.vtkhdf film-3/u_000100.vtkhdf --tolerance 1e-9
expect 0 1 run film.toml --output film-cut --quiet --set method.end_time=1.0
expect 0 3 run film.toml --output film-cut --resume --quiet
expect 0 1 compare film/u_000100.vtkhdf film-cut/u_000100.vtkhdf --tolerance 1e-9
refused_run 'is "ftcs", but a coefficient depends on t (needs "backward_euler" or' film.toml \
  --set 'method.name="ftcs"' --set '!equation.source'
refused_run 'depends on t, the time' film.toml --set 'equation.type="poisson"' --set '!method.end_time' \
  --set '!method.time_step' --set '!method.step_tolerance' --set 'method.name="multigrid"' \
  --set 'equation.source=1'
refused_run 'coefficient that depends on t needs \[grid\] precision = "float64"' film.toml \
  --set 'grid.precision="float32"' --set '!equation.source'

echo "divided time steps: all as they should be"

# A run interpolates the time of `stop` within one divided step. From t = 1/3 on the source heats by 50 per unit of time,
# and what flows out is negligible at first: the maximum is 0.1 at 1/3 + 0.002.
cat >stop.toml <<'END'
[grid]
points = [33]
[equation]
type = "diffusion"
source = "t > 1/3 ? 50 : 0"
[boundary]
x_lower = { type = "dirichlet", value = 0.0 }
x_upper = { type = "neumann" }
[method]
name = "backward_euler"
time_step = 0.1
time_tolerance = 1e-4
end_time = 1.0
stop = "max > 0.1"
END
for ranks in 1 2; do
  expect 0 $ranks run stop.toml --output "stop-$ranks" --quiet
  stop_time "stop-$ranks" | awk '{ exit !($1 > 0.33525 && $1 < 0.33545) }' || fail "the criterion is not met at t = 0.33533"
done
sed 's/^type = "diffusion"/&\nconductivity = "1 + u"/' stop.toml >stop-u.toml
expect 0 1 run stop-u.toml --output stop-u --quiet
stop_time stop-u | awk '{ exit !($1 > 0.33525 && $1 < 0.33545) }' || fail "the criterion is not met at t = 0.33533 with κ(u)"
