#!/usr/bin/env bash
# jumps_in_u_test.sh PROGRAM SOURCE_DIR: expressions of u that jump or have kinks: conductivities by
# Kirchhoff's transform, capacities by the stored heat, and the messages about sources.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

cat >bar.toml <<'END'
title = "bar"
[grid]
points = [17, 5]
[equation]
type = "laplace"
conductivity = 1.0
[boundary]
x_lower = { type = "dirichlet", value = -1.0 }
x_upper = { type = "dirichlet", value = 1.0 }
y = { type = "neumann" }
[initial]
value = 0.3
[method]
tolerance = 1e-8
[output]
quantities = ["flux"]
END
sed 's/^type = "laplace"/type = "diffusion"/; s/^tolerance.*/name = "backward_euler"\ntime_step = 0.05\nsteps = 4/
  s/\["flux"\]/["flux", "heat"]/' bar.toml >steps.toml

# The flux is the integral of the conductivity over u from -1 to 1.
while read -r wanted conductivity; do
  expect 0 1 run bar.toml --output bar --overwrite --set "equation.conductivity=\"$conductivity\""
  said 'the tolerance is reached'
  near "$(column bar/quantities.csv flux_x_upper)" "$wanted" 1e-6 "the flux with $conductivity"
  expect 0 1 run steps.toml --output steps --overwrite --quiet --set "equation.conductivity=\"$conductivity\""
  stores_inflow steps/quantities.csv 0.05 1e-4 4
done <<'END'
3 u < 0 ? 2 : 1
101 u < 0 ? 100 : 1
1.01 u < 0 ? 0.01 : 1
3.2 u < 0.2 ? 2 : 1
1.29 abs(u - 0.3) + 0.1
1.002 abs(u) + 0.001
0.51005 max(0.01, u)
2.5 1 + 5*(abs(u) < 0.05)
19 1 + floor(3*u + 9)
END
# The same in one of two materials.
expect 0 1 run bar.toml --output bar --overwrite --set 'equation.conductivity="u < 0 ? 100 : 1"' \
  --set 'material=[{ box = { lower = [0.0, 0.0], upper = [0.45, 1.0] }, conductivity = 3.0 }]'

# Capacities that jump: the stored heat is what flows in.
for capacity in 'u < 0 ? 2 : 1' 'u < 0.1 ? 2 : 1' 'abs(u) + 0.1' '1 + 100*(abs(u) < 0.05)'; do
  for method in backward_euler crank_nicolson; do
    expect 0 1 run steps.toml --output steps --overwrite --quiet --set "method.name=\"$method\"" \
      --set "equation.capacity=\"$capacity\""
    [[ $method == crank_nicolson ]] || stores_inflow steps/quantities.csv 0.05 1e-4 4
  done
done

# A source that jumps downwards may have no solution. The message names it and what to do.
source='u < 0.5 ? 50 : -50'
expect 3 1 run bar.toml --output none --set 'equation.type="poisson"' --set "equation.source=\"$source\""
complained 'warning: .* jumps as a function of u: source = "u < 0.5 ? 50 : -50" (at u = 0.5) (replace the jump by a ramp'
expect 3 2 run steps.toml --output none --overwrite --set "equation.source=\"$source\""
complained 'did not converge'
complained 'warning: .* jumps as a function of u: source = "u < 0.5 ? 50 : -50" (at u = 0.5)'
ramp='50 - 100*clamp((u - 0.45)/0.1, 0, 1)'
expect 0 1 run bar.toml --output ramp --quiet --set 'equation.type="poisson"' --set "equation.source=\"$ramp\""
expect 0 1 run steps.toml --output ramp --overwrite --quiet --set "equation.source=\"$ramp\""

echo "expressions that jump: all as they should be"
