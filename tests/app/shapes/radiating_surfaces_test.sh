#!/usr/bin/env bash
# radiating_surfaces_test.sh PROGRAM SOURCE_DIR: [[radiation]] and [[convection]] on the surfaces of
# insulated regions: the root of a quartic equation, columns of fluxes, reports, steps, resuming,
# ranks and refusals.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

# A wall that is hot on one side. Its inner surface at x = 0.0433 radiates to 20 °C and loses heat to
# air by natural convection.
cat >wall.toml <<'END'
title = "wall"
[grid]
points = [31, 7]
upper = [0.3, 0.06]
[equation]
type = "laplace"
conductivity = 1.2
[[insulated]]
name = "room"
box = { lower = [-1.0, -1.0], upper = [0.0433, 1.0] }
[[convection]]
of = "room"
h = "1.7*abs(u - 15)^0.25"
ambient = 15.0
[[radiation]]
of = "room"
emissivity = 0.9
ambient = 20.0
absolute_zero = -273.15
[boundary]
y = { type = "neumann" }
x_lower = { type = "neumann" }
x_upper = { type = "dirichlet", value = 400.0 }
[initial]
value = 100.0
[method]
tolerance = 1e-10
[output]
quantities = ["flux"]
END
expect 0 1 run wall.toml --dry-run
said 'convection "room", length 0.06$'
said 'radiation "room", length 0.06$'
# The heat per area by convection and by radiation.
wanted=$(awk 'BEGIN {
  low = 20; high = 400
  for (i = 0; i < 100; ++i) {
    s = (low + high) / 2
    convected = 1.7 * (s - 15) ^ 1.25
    radiated = 0.9 * 5.670374419e-8 * ((s + 273.15) ^ 4 - 293.15 ^ 4)
    if (1.2 * (400 - s) / (0.3 - 0.0433) > convected + radiated) low = s; else high = s
  }
  printf "%.12g %.12g", -0.06 * convected, -0.06 * radiated }')
for ranks in 1 2 3; do
  expect 0 $ranks run wall.toml --output wall-$ranks
  said 'the tolerance is reached'
  near "$(column wall-$ranks/quantities.csv flux_convection_room)" "${wanted% *}" 1e-7 "the heat by convection"
  near "$(column wall-$ranks/quantities.csv flux_radiation_room)" "${wanted#* }" 1e-7 "the heat by radiation"
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i ~ /^flux_/) at[i] = $i }
    END { for (i in at) sum += (at[i] == "flux_balance" ? -1 : 1) * $i; exit sum ^ 2 > 1e-16 }' \
    wall-$ranks/quantities.csv || fail "the columns do not add up to the balance"
done
# Ends of a region on faces of the grid are no surfaces.
expect 0 1 run wall.toml --output ends --quiet --set 'insulated.0.box={ lower = [0.0, 0.0], upper = [0.0433, 0.06] }'
near "$(column ends/quantities.csv flux_convection_room)" "${wanted% *}" 1e-7 "the heat of a room that ends on faces"
holds wall-1/summary.json '"radiation_room": -[0-9]'
# By radiation alone there is no column of convection.
sed '/^\[\[convection\]\]/,/^ambient = 15/d' wall.toml >radiation.toml
expect 0 1 run radiation.toml --output radiation --quiet
head -1 radiation/quantities.csv | grep -q flux_radiation_room || fail "there is no column of radiation"
head -1 radiation/quantities.csv | grep -q flux_convection_room && fail "there is a column of convection"

# Steps: the stored heat is what flows in. Resumed runs end with the same bits.
sed 's/^type = "laplace"/type = "diffusion"\ncapacity = 1.5e6/; s/^tolerance = .*/name = "backward_euler"\ntime_step = 200.0\nsteps = 6\nstep_tolerance = 1e-12/
  s/\["flux"\]/["flux", "heat"]/; s/^h = .*/h = "8 + 4*sin(t\/300)"/; s/^ambient = 20.0/ambient = "20 + t\/100"/' wall.toml >steps.toml
expect 0 1 run steps.toml --output steps --set checkpoint.every=1 --set checkpoint.keep=9
stores_inflow steps/quantities.csv 200 1e-8 6
expect 0 1 run steps.toml --output cut --set method.steps=2 --quiet
expect 0 1 run steps.toml --output cut --resume
said 'resumed .*iteration 2'
same_field steps/u_000006.vtkhdf cut/u_000006.vtkhdf
expect 0 3 run steps.toml --output steps-3 --quiet
expect 0 1 compare steps/u_000006.vtkhdf steps-3/u_000006.vtkhdf --tolerance 1e-9
# Another emissivity is another case.
expect 2 1 run steps.toml --output cut --resume --set radiation.0.emissivity=0.8 --set method.steps=8

# Bad input: one line, which names file, line and key.
refused_run '\[radiation\] of is "hall", which is the name of no \[\[insulated\]\] region' wall.toml \
  --set 'radiation.0.of="hall"'
refused_run 'emissivity is 1.2 (needs a number above 0, up to 1)' wall.toml --set radiation.0.emissivity=1.2
refused_run 'absolute_zero is missing (needs 0 for kelvin' wall.toml --set '!radiation.0.absolute_zero'
refused_run 'ambient is -300, below absolute_zero = -273.15' wall.toml --set radiation.0.ambient=-300
refused_run 'a given value is -280, below absolute_zero = -273.15' wall.toml \
  --set 'boundary.x_upper={type="dirichlet", value=-280}'
refused_run 'epsilon is not a key .*(write emissivity' wall.toml --set radiation.0.epsilon=0.5
refused_run 'h is -2 (needs a number above 0)' wall.toml --set convection.0.h=-2
refused_run 'name is "jacobi", but a coefficient depends on u (needs "multigrid")' wall.toml --set 'method.name="jacobi"'
refused_run 'depends on t, the time' wall.toml --set 'convection.0.h="1 + t"'
refused_run 'needs \[grid\] shapes = "exact"' wall.toml --set 'grid.shapes="points"'
refused_run 'a diffusivity has no unit of heat' steps.toml --set equation.diffusivity=1 --set '!equation.capacity' \
  --set '!equation.conductivity'
refused_run 'h: the heat transfer coefficient of a surface is -157.5 where u = 207.5, within the range' wall.toml \
  --set 'convection.0.h="50 - u"'

# Of several surfaces, the message has the line of the one at fault.
sed 's/^x_upper.*/x_upper = { type = "neumann" }/' wall.toml >two.toml
line=$(($(wc -l <two.toml) + 3))
cat >>two.toml <<'END'
[[convection]]
of = "hall"
h = "50 - u"
ambient = 415.0
[[insulated]]
name = "hall"
box = { lower = [0.2512, -1.0], upper = [1.0, 1.0] }
END
refused_run "two.toml:$line: \\[convection\\] h = \"50 - u\": the heat transfer coefficient of a surface is -165 where u = 215" two.toml

echo "radiating surfaces: all as they should be"
