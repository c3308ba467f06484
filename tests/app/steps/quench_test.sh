#!/usr/bin/env bash
# quench_test.sh PROGRAM SOURCE_DIR: a small body that conducts well has one temperature, so the time
# at which it is cold is an integral over u. The stopping criterion must find that time for
# coefficients of faces that are tables, expressions of u or t, and radiation.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

cat >boiling.csv <<'END'
u,h
20,500
100,1000
130,12000
180,12000
300,3000
500,500
900,400
END
# body GEOMETRY FACE STOP: a cylinder or ball of 15 mm that begins at 850
body() {
  cat <<END
[grid]
geometry = "$1"
points = [5]
upper = [0.015]
[equation]
type = "diffusion"
conductivity = 1e6
capacity = 4.7e6
[boundary]
x_upper = $2
[initial]
value = 850.0
[method]
name = "crank_nicolson"
time_step = 20.0
time_tolerance = 1e-2
step_tolerance = 1e-8
end_time = 20000.0
stop = "$3"
[output]
report = false
END
}
# stops RANKS CASE TIME ARGUMENT...: the criterion is satisfied at this time, to 5e-4 of it
stops() {
  expect 0 "$1" run "$2.toml" --output "$2-$1" --quiet "${@:4}"
  near "$(stop_time "$2-$1")" "$3" 5e-4 "the time at which $2 stops on $1 ranks"
}

# A boiling curve: c R / 2 · ∫ du / (h(u) (u − 20)) from 100 to 850, by a rule with two million points.
body axisymmetric '{ type = "convection", h = { table = "boiling.csv" }, ambient = 20.0 }' "max < 100" >boiling.toml
for ranks in 1 3; do stops $ranks boiling 61.36714; done
# The same from a conductivity that depends on u.
cp boiling.toml dependent.toml
stops 1 dependent 61.36714 --set 'equation.conductivity="1e6 + 100*u"'

# Free convection from a ball, h = 10 (u − 20)^(1/4): 4 c R / (3 · 10) · (80^(−1/4) − 830^(−1/4)).
body spherical '{ type = "convection", h = "10*max(u - 20, 0)^0.25", ambient = 20.0 }' "max < 100" >free.toml
stops 1 free "$(awk 'BEGIN { printf "%.12g", 4 * 4.7e6 * 0.015 / 30 * (80 ^ -0.25 - 830 ^ -0.25) }')"

# Radiation of a ball to surroundings at absolute zero: c R / (9 ε σ) · (300^(−3) − 850^(−3)).
body spherical '{ type = "radiation", emissivity = 0.8, ambient = 0.0, absolute_zero = 0.0 }' "mean < 300" >radiation.toml
stops 1 radiation "$(awk 'BEGIN { printf "%.12g", 4.7e6 * 0.015 / (9 * 0.8 * 5.670374419e-8) * (300 ^ -3 - 850 ^ -3) }')"

# A coefficient that rises in time, h = 50 (1 + t/500): k (t + t²/1000) = ln(830/80), k = 2 · 50 / (c R).
# A run that starts at a later time finds a higher coefficient.
body axisymmetric '{ type = "convection", h = "50*(1 + t/500)", ambient = 20.0 }' "min < 100" >rising.toml
stops 1 rising "$(awk 'BEGIN { s = log(830 / 80) * 4.7e6 * 0.015 / 100; printf "%.12g", 500 * (sqrt(1 + s / 250) - 1) }')"
cp rising.toml later.toml
stops 1 later "$(awk 'BEGIN { s = log(830 / 80) * 4.7e6 * 0.015 / 100; printf "%.12g", 500 * (sqrt(9 + s / 250) - 1) }')" \
  --set method.start_time=1000
echo "quench: all as it should be"
