#!/usr/bin/env bash
# thin_radiators_test.sh PROGRAM SOURCE_DIR: thin bodies of metal in a vacuum, which radiation alone
# holds: each is of one temperature, that of an ordinary differential equation.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

# A plate at an angle to the axes: 10 µm thick, 1 spacing. c d/2 T' = -ε σ (T⁴ - 300⁴) on each side.
cat >plate.toml <<'END'
title = "plate"
[grid]
points = [33, 33]
upper = [3.2e-4, 3.2e-4]
[equation]
type = "diffusion"
conductivity = 400.0
capacity = 3.4e6
[[insulated]]
name = "vacuum"
where = "abs(0.8*(x - 1.6e-4) + 0.6*(y - 1.6e-4)) > 5e-6"
[[radiation]]
of = "vacuum"
emissivity = 0.02
ambient = 300.0
absolute_zero = 0.0
[boundary]
all = { type = "neumann" }
[initial]
value = 1000.0
[method]
name = "backward_euler"
time_step = 1000.0
steps = 3
[output]
quantities = ["min", "max", "flux"]
END
# temperature THICKNESS EMISSIVITY STEP STEPS POWER: that after steps of backward Euler of a body of
# this ratio of volume to area; with a step of 0 the steady one. The power is that per area.
temperature() {
  awk -v d="$1" -v e="$2" -v dt="$3" -v n="$4" -v power="$5" 'BEGIN {
    t = 1000
    for (step = 0; step < n; ++step) {
      low = 300; high = 2000
      for (i = 0; i < 100; ++i) {
        s = (low + high) / 2
        f = power - e * 5.670374419e-8 * (s ^ 4 - 300 ^ 4) - (dt > 0 ? 3.4e6 * d * (s - t) / dt : 0)
        if (f > 0) low = s; else high = s
      }
      t = s
    }
    printf "%.12g", t }'
}
# one_temperature DIRECTORY WANTED RELATIVE
one_temperature() {
  for name in min max; do near "$(column "$1/quantities.csv" $name)" "$2" "$3" "$name of $1"; done
}
for step in 1 1000; do
  expect 0 1 run plate.toml --output plate-$step --set method.time_step=$step
  complained 'aggregates precondition the time steps'
  holds plate-$step/summary.json '"hierarchy": "aggregates"'
  one_temperature plate-$step "$(temperature 5e-6 0.02 $step 3 0)" 5e-3
done
# Resumed runs have the same coarser levels and the same bits.
expect 0 1 run plate.toml --output cut --set method.steps=1 --quiet
expect 0 1 run plate.toml --output cut --resume
said 'coarse grids *aggregates, as before'
same_field plate-1000/u_000003.vtkhdf cut/u_000003.vtkhdf
expect 0 3 run plate.toml --output plate-ranks --quiet
expect 0 1 compare plate-1000/u_000003.vtkhdf plate-ranks/u_000003.vtkhdf --tolerance 1e-6
# With a source: steps, and the steady state P = ε σ A (T⁴ - T0⁴).
expect 0 1 run plate.toml --output heated --quiet --set equation.source=1e8
one_temperature heated "$(temperature 5e-6 0.02 1000 3 500)" 5e-3
sed '/^capacity\|^time_step\|^steps/d; s/^type = "diffusion"/type = "poisson"\nsource = 1e8/
  s/^name = "backward_euler"/tolerance = 1e-8/' plate.toml >steady.toml
expect 0 1 run steady.toml --output steady
said 'the tolerance is reached'
one_temperature steady "$(temperature 5e-6 0.02 0 1 500)" 5e-3

# A ring, 1 mm thick, and a shell in 3D.
ring='hypot(x - 0.016, y - 0.016) > 0.013 || hypot(x - 0.016, y - 0.016) < 0.012'
expect 0 1 run plate.toml --output ring --quiet --set 'grid.upper=[0.032, 0.032]' --set radiation.0.emissivity=0.5 \
  --set "insulated.0.where=\"$ring\"" --set method.time_step=100
one_temperature ring "$(temperature 5e-4 0.5 100 3 0)" 1e-2

echo "thin bodies that radiate: all as they should be"
