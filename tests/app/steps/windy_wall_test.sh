#!/usr/bin/env bash
# windy_wall_test.sh PROGRAM SOURCE_DIR: the numbers of a wall whose coefficient of heat transfer and
# outside temperature depend on time (jobs/cases/windy-wall.toml). Steps of a given length match an
# elimination of their equations; divided steps match one with far shorter steps.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

wall=$source_dir/jobs/cases/windy-wall.toml
hours=48
run=(run "$wall" --quiet --set "method.end_time=$hours" --set method.check_every=2)

# solve STEPS_PER_HOUR WEIGHT: prints time, the values outside and inside, and the heat that
# enters outside, for each hour. WEIGHT is 1 for backward Euler, 0.5 for Crank-Nicolson, whose first
# step is two half steps of backward Euler.
solve() {
  awk -v hours=$hours -v per_hour="$1" -v weight="$2" '
    function film(t) { return 15 - 10 * cos(2 * pi * t / 24) }
    function air(t) { return 2 - 8 * cos(2 * pi * (t - 3) / 24) }
    # The net flow into the volume of point i.
    function flow(i, t) {
      return (i > 0 ? g * (u[i - 1] - u[i]) : 8 * (20 - u[i])) + \
             (i < n ? g * (u[i + 1] - u[i]) : film(t) * (air(t) - u[i]))
    }
    # Advances u to time t: (c V / dt + w L) u = c V / dt u + (1 - w) flow(t - dt) + w given(t).
    function step(t, dt, w,   i, pivot, stored) {
      for (i = 0; i <= n; ++i) old[i] = w < 1 ? (1 - w) * flow(i, t - dt) : 0
      for (i = 0; i <= n; ++i) {
        stored = c * (i == 0 || i == n ? h / 2 : h) / dt
        pivot = stored + w * ((i > 0 ? g : 8) + (i < n ? g : film(t)))
        b[i] = stored * u[i] + old[i] + (i == 0 ? w * 8 * 20 : 0) + (i == n ? w * film(t) * air(t) : 0)
        if (i > 0) { pivot -= w * g * factor[i - 1]; b[i] += w * g * b[i - 1] }
        factor[i] = w * g / pivot
        b[i] /= pivot
      }
      for (i = n; i >= 0; --i) u[i] = b[i] + (i < n ? factor[i] * u[i + 1] : 0)
    }
    BEGIN {
      pi = 3.14159265358979323846; n = 120; h = 0.36 / n; g = 0.8 / h; c = 1.5e6 / 3600
      for (i = 0; i <= n; ++i) u[i] = 17 - 40 * i * h
      for (k = 1; k <= hours * per_hour; ++k) {
        t = k / per_hour
        if (weight < 1 && k == 1) { step(t / 2, t / 2, 1); step(t, t / 2, 1) }
        else step(t, 1 / per_hour, weight)
        if (k % per_hour == 0) printf "%d,%.12g,%.12g,%.12g\n", t, u[n], u[0], film(t) * (air(t) - u[n])
      }
    }'
}
# compare_hours RUN WANTED LARGEST: compares the values of the tables at each full hour
compare_hours() {
  for table in probe_outside probe_inside quantities; do
    awk -F, -v table=$table '
      NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "value" || $i == "flux_x_upper") at = i; next }
      $2 == int($2) && $2 > 0 { printf "%d,%.12g\n", $2, $at }' "$1/$table.csv" >"$table.hours"
  done
  paste -d, "$2" probe_outside.hours probe_inside.hours quantities.hours | awk -F, -v hours=$hours -v largest="$3" '
    { for (i = 0; i < 3; ++i) {
        if ($(5 + 2 * i) != $1) exit bad = 1
        difference = $(6 + 2 * i) - $(2 + i); if (difference < 0) difference = -difference
        if (difference > (i == 2 ? 25 : 1) * largest) exit bad = 1
      } }
    END { exit bad || NR != hours }' || fail "$1 differs from $2 by more than $3"
}

for method in backward_euler crank_nicolson; do
  solve 2 "$([[ $method == backward_euler ]] && echo 1 || echo 0.5)" >$method.wanted
  expect 0 1 "${run[@]}" --output $method --set "method.name=\"$method\"" \
    --set '!method.time_tolerance' --set method.step_tolerance=1e-12
  compare_hours $method $method.wanted 1e-7
done

# The case as it is: its steps may err by 0.01 K each, and errors decay.
solve 8 0.5 >fine.wanted
expect 0 2 "${run[@]}" --output wall
compare_hours wall fine.wanted 0.05

# A coefficient that depends on u: natural convection h = a |u - ambient|^(1/3) on a wall that is hot
# inside. The temperature x of its outer face is the root of k (hot - x) / L = a (x - cold)^(4/3).
cat >natural.toml <<'END'
[grid]
points = [13]
upper = [0.24]
[equation]
type = "laplace"
conductivity = 0.6
[boundary]
x_lower = { type = "dirichlet", value = 80.0 }
x_upper = { type = "convection", h = "1.52*abs(u - 15)^(1/3)", ambient = 15.0 }
[method]
tolerance = 1e-10
[output]
quantities = ["flux"]
[[probe]]
name = "face"
at = [0.24]
END
expect 0 1 run natural.toml --output natural --quiet
face=$(awk 'BEGIN {
  low = 15; high = 80
  for (i = 0; i < 100; ++i) {
    x = (low + high) / 2
    if (0.6 * (80 - x) / 0.24 > 1.52 * (x - 15) ^ (4 / 3)) low = x; else high = x
  }
  printf "%.12g", x }')
near "$(column natural/probe_face.csv value)" "$face" 1e-8 "the temperature of the outer face"
near "$(column natural/quantities.csv flux_x_upper)" "$(awk -v x="$face" 'BEGIN { printf "%.12g", -0.6 * (80 - x) / 0.24 }')" \
  1e-7 "the heat through the outer face"

echo "a wall and the wind: all as it should be"
