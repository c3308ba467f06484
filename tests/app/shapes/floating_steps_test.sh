#!/usr/bin/env bash
# floating_steps_test.sh PROGRAM SOURCE_DIR: time steps with a floating conductor conserve heat, resume with the same bits,
# and have the same results on any number of ranks; other methods are refused with the key to change.
in_memory=yes
pictures=no
source "$(dirname "$0")/../support.sh"

cat >body.toml <<END
[grid]
points = [25, 21]
[equation]
type = "diffusion"
capacity = 2.0
[[fixed]]
name = "body"
ball = { center = [0.47, 0.52], radius = 0.2 }
floating = true
flux = 3.0
[boundary]
all = { type = "neumann" }
[initial]
value = "1 + x"
[method]
name = "backward_euler"
time_step = 0.01
steps = 8
check_every = 1
step_tolerance = 1e-11
[output]
report = false
snapshot_every = 4
quantities = ["heat", "flux"]
[run]
device = "$device"
END
expect 0 1 run body.toml --output whole
said '^floating  *body: value [0-9.]*, flux '
# The insulated box holds 2 (1 + 1/2), and what the power adds in each step.
awk -F, 'NR > 1 && ($3 - 3 - 3 * $2) ^ 2 > 1e-16 { exit 1 }' whole/quantities.csv || fail "another heat than that of the power"
# The conductor stores a part of the power, so less flows into the medium.
awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "flux_fixed_body") at = i; next }
         $1 > 0 && !($at > 0.5 && $at < 3) { exit 1 }' whole/quantities.csv || fail "another flux into the medium"

expect 0 1 run body.toml --output parts --set method.steps=4
expect 0 1 run body.toml --output parts --resume
same_field whole/u_000008.vtkhdf parts/u_000008.vtkhdf
cmp whole/quantities.csv parts/quantities.csv || fail "other quantities after resuming"
for ranks in 2 3; do
  expect 0 $ranks run body.toml --output "on$ranks" --quiet
  expect 0 1 compare whole/u_000008.vtkhdf "on$ranks/u_000008.vtkhdf" --tolerance 1e-9
done
expect 0 1 run body.toml --dry-run

refuses() { refused_run "$1" body.toml "${@:2}"; }
refuses 'name is "crank_nicolson", but time steps with a floating conductor need "backward_euler"' --set method.name=crank_nicolson
refuses 'name is "ftcs", but time steps' --set method.name=ftcs --set method.time_step=1e-5 --set '!method.step_tolerance'
refuses 'time_tolerance does not apply to time steps with a floating conductor' --set method.time_tolerance=0.1
refuses 'tolerance does not apply to time steps with a floating conductor' --set method.tolerance=1e-3
refuses 'depends on u cannot have floating conductors' --set 'equation.conductivity=1 + 0.1*u'
