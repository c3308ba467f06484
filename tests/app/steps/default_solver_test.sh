#!/usr/bin/env bash
# default_solver_test.sh PROGRAM SOURCE_DIR: the log names the default solver, and why it is not the
# direct one. ISOTHERM_TEST_BACKEND: see support.sh.
pictures=no
in_memory=yes
source "$(dirname "$0")/../support.sh"

# A box of 65³ points with given values; further arguments are lines before [method].
box() {
  cat <<END
title = "box"
[grid]
points = [65, 65, 65]
[equation]
$1
[boundary]
all = { type = "dirichlet", value = "x + t" }
$2
[method]
$3
[run]
device = "$device"
END
}
steady() { box 'type = "poisson"
source = 1.0' "$1" 'tolerance = 1e-6' | sed 's/x + t/x/'; }
steps() { box 'type = "diffusion"
source = 1.0' "$1" 'name = "crank_nicolson"
time_step = 0.01
steps = 2'; }
material='[[material]]
box = { lower = [0.2, 0.2, 0.2], upper = [0.5, 0.6, 0.7] }
conductivity = 50.0
'
fixed='[[fixed]]
box = { lower = [0.2, 0.2, 0.2], upper = [0.5, 0.6, 0.7] }
value = 1.0
'
patch='[[boundary.patch]]
face = "x_lower"
box = { lower = [0.0, 0.2, 0.2], upper = [0.0, 0.6, 0.7] }
type = "neumann"
value = 1.0
'

for kind in steady steps; do
  $kind '' >plain.toml
  expect 0 1 run plain.toml --dry-run
  said 'the default: estimated to be faster than multigrid$'
  [[ $kind == steady ]] || said '^  *a direct solution per step, the default'
  for obstacle in material fixed patch; do
    $kind "${!obstacle}" >$obstacle.toml
    expect 0 1 run $obstacle.toml --dry-run
    case $obstacle in
      material) why='the coefficients vary along several axes' ;;
      fixed) why='there is a \[\[fixed\]\] region' ;;
      patch) why='there is a \[\[boundary.patch\]\]' ;;
    esac
    said "the default: a direct solution is not possible, since $why"
    [[ $kind == steady ]] || said '^  *multigrid cycles in each step, the default'
  done
  expect 0 1 run plain.toml --dry-run --set method.cycle=W
  said 'the default: the case has keys of its cycles$'
done

# What the case names needs no reason.
expect 0 1 run plain.toml --dry-run --set method.step_solver=direct
said '^  *a direct solution per step$'

# Steps in a smooth medium are solved by multigrid.
expect 0 1 run plain.toml --dry-run --set 'equation.conductivity="2 + cos(3*x)*cos(2*y)"' --set equation.capacity=1
said 'multigrid cycles in each step, the default: a direct solution is not possible, since the coefficients vary'
echo "reasons: all as they should be"
