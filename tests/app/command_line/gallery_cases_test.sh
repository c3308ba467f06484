#!/usr/bin/env bash
# gallery_cases_test.sh PROGRAM SOURCE_DIR: small cases of jobs/cases have the results that formulas
# give for them.
in_memory=yes pictures=no
source "$(dirname "$0")/../support.sh"

# solve CASE ARGUMENT...: its output is in the folder of its name
solve() { expect 0 1 run "$source_dir/jobs/cases/$1.toml" --quiet --output "$1" --set output.report=false "${@:2}"; }

# The heat of the tube is what the reaction takes. Outside the tube it is slightly less than that of an
# annular fin of the same area, 5380.47, and more than that of the inscribed one, 4865.44 (the formula
# for annular fins, with Bessel functions). Inside it is 2 h / thickness · 40 K · π R² / 4.
solve plate-fin
heat=$(column plate-fin/quantities.csv flux_fixed_tube)
near "$heat" "$(awk -v q="$(column plate-fin/quantities.csv flux_reaction)" 'BEGIN { print -q }')" 1e-6 "the heat of the tube"
awk -v heat="$heat" 'BEGIN {
    fin = heat - 2 * 45 / 3e-4 * 40 * atan2(0, -1) * 0.005 ^ 2 / 4
    exit !(fin > 0.99 * 5380.47 && fin < 5380.47)
  }' || fail "the heat of the fin, with the tube, is $heat"

# The ice, without the heat capacity of ice: s²/2 + s κ/h = κ t 15 K / L. That capacity takes approximately
# a factor 1 − Ste / 6 = 0.984.
solve lake-ice
awk -F, 'NR == 1 { next } $2 != time { time = $2; s = 0 } $6 < -0.05 { below = $3; u = $6 }
  $6 >= -0.05 && !s && $3 > 0 { s = below + ($3 - below) * (-0.05 - u) / ($6 - u) } END { print s }' lake-ice/probe_depth.csv >thickness
near "$(cat thickness)" 0.6354 6e-3 "the thickness of the ice"

# The centre of a ball with Bi = 44: the first term of the series, C exp(−ζ² a t / R²), where
# 1 − ζ cot ζ = Bi and C = 4 (sin ζ − ζ cos ζ) / (2 ζ − sin 2ζ).
solve boiled-egg
near "$(stop_time boiled-egg)" "$(awk '
  BEGIN {
    Bi = 1000 * 0.022 / 0.5; lower = 1.6; upper = 3.14159
    for (n = 0; n < 60; ++n) { z = (lower + upper) / 2; if (1 - z * cos(z) / sin(z) < Bi) lower = z; else upper = z }
    C = 4 * (sin(z) - z * cos(z)) / (2 * z - sin(2 * z))
    print log(C * 95 / 35) / z ^ 2 * 0.022 ^ 2 * 3.7e6 / 0.5
  }')" 3e-3 "the time of the egg"
echo "gallery_cases: all as it should be"
