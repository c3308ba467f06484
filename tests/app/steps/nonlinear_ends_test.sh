#!/usr/bin/env bash
# nonlinear_ends_test.sh PROGRAM SOURCE_DIR: the messages at the end of steady cases with
# coefficients that depend on the solution.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

# -u" = 4 exp(u) has no solution, so neither rounding nor an error explains the end.
cat >none.toml <<'END'
[grid]
points = [33]
[equation]
type = "poisson"
source = "4*exp(u)"
[boundary]
x = { type = "dirichlet", value = 0 }
[method]
tolerance = 1e-8
END
expect 3 1 run none.toml --output none
said "Newton's method stalls: after [0-9]* iterations the residual is [0-9.]* of the first"
! grep -q -e 'estimated error [0-9]' -e 'rounding' -e 'memory is left' "$work/out" ||
  fail "a claim that nothing supports"
holds none/summary.json '"error": null'

# Steel next to air: 93.1256 by Kirchhoff's transform.
cat >steel.toml <<'END'
[grid]
points = [41]
upper = [0.1]
[equation]
type = "laplace"
conductivity = "0.03+1e-4*u"
[[material]]
name = "steel"
box = { lower = [0], upper = [0.0512] }
conductivity = "15+0.015*u"
[boundary]
x_lower = { type = "flux", value = 50 }
x_upper = { type = "convection", h = 10, ambient = 20 }
[method]
tolerance = 1e-6
END
# A dry run times iterations. It ends although they do: these have no further step to take.
expect 0 1 run steel.toml --dry-run
said 'estimated: '
for ranks in 1 3; do
  expect 0 $ranks run steel.toml --output steel-$ranks
  said 'the tolerance is reached'
  said 'min 25 at x = 0.1, max 93.1256 at x = 0'
done

# A table with steep parts between two points. Kirchhoff's transform falls by 136.95 from 120 to -10;
# half of that is reached at 31.5582, the root of u + u^2/37 = 58.475.
printf 'u,conductivity\n0,1\n37,3\n38,0.5\n100,0.7\n' >kinked.csv
cat >kinked.toml <<'END'
[grid]
points = [17]
[equation]
type = "laplace"
conductivity = { table = "kinked.csv" }
[boundary]
x_lower = { type = "dirichlet", value = 120 }
x_upper = { type = "dirichlet", value = -10 }
[method]
tolerance = 1e-9
[[probe]]
name = "middle"
at = [0.5]
END
for ranks in 1 2; do
  expect 0 $ranks run kinked.toml --output kinked-$ranks
  said 'the tolerance is reached'
  said 'inflow 136\.95,'
  tail -n 1 kinked-$ranks/probe_middle.csv | grep -q ',31\.558216' || fail "not Kirchhoff's value in the middle"
done

# A coefficient that is invalid for the field: the message has its key, its line, the point and u.
cat >invalid.toml <<'END'
[grid]
points = [9, 9]
[equation]
type = "laplace"
conductivity = "1 - u"
[boundary]
all = { type = "neumann" }
x_lower = { type = "dirichlet", value = 0 }
x_upper = { type = "dirichlet", value = 0.5 }
[initial]
value = "0.25 + 9*(x > 0.4 && x < 0.6)*(y > 0.9)"
[method]
tolerance = 1e-8
END
for ranks in 1 2; do
  expect 1 $ranks run invalid.toml --output invalid-$ranks
  complained 'is not valid for the field of iteration 0 .*; invalid.toml:5: \[equation\] conductivity = "1 - u": the conductivity is -8.25 at x = 0.5, y = 1 where u = 9.25$'
done

# A fluid beyond a surface between two points, in a medium whose conductivity depends on u: with
# Kirchhoff's transform the surface is at 142.21, and the flux density is 366.636.
cat >film.toml <<'END'
[grid]
points = [81]
[equation]
type = "laplace"
conductivity = "1 + u/50"
[boundary]
x_lower = { type = "neumann", value = 0 }
x_upper = { type = "dirichlet", value = 200 }
[[insulated]]
name = "air"
box = { lower = [-1], upper = [0.303] }
[[convection]]
of = "air"
h = 3
ambient = 20
[method]
tolerance = 1e-8
END
for ranks in 1 3; do
  expect 0 $ranks run film.toml --output film-$ranks
  said 'the tolerance is reached'
  said 'inflow 366.6'
done
# The same with constant coefficients: 180/(1/3 + 0.697).
expect 0 1 run film.toml --output film-linear --set equation.conductivity=1.0
said 'inflow 174.701'
