#!/usr/bin/env bash
# not_finite_test.sh PROGRAM SOURCE_DIR: values that are not finite, or would overflow when stored,
# end a run with a message that names their origin. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# Prints a 2D case with Dirichlet faces; further arguments are lines of [method].
plate_case() {
  diffusion_case "$@" | sed 's/^all = .*/all = { type = "dirichlet", value = 0.0 }/'
}
failed() { holds "$1/summary.json" '"status": "failed"'; }

# Values beyond float32 are not rounded to infinities.
plate_case 'steps = 20' >large.toml
large=(--set 'boundary.y_upper={type="dirichlet",value=1e39}' --set output.snapshot_every=10
       --set output.picture=false)
for ranks in 1 3; do
  expect 1 $ranks run large.toml "${large[@]}" --set 'output.precision="float32"' --output large$ranks
  complained 'the field of iteration 0 has values up to 1e+39, which exceed the range of float32: leave out output.precision or set it to "float64"'
  failed large$ranks
  ! compgen -G "large$ranks/u_*" >/dev/null || fail "a field is left in large$ranks"
done
expect 1 2 run large.toml "${large[@]}" --set 'output.precision="float32"' --output cut \
  --set 'output.cut={lower=[0.0,0.5],upper=[1.0,1.0]}'
complained "1e+39, which exceed the range of float32"
# If such values are not stored, or not rounded, there is no error.
expect 0 2 run large.toml "${large[@]}" --set 'output.precision="float32"' --output cut --overwrite \
  --set 'output.cut={lower=[0.0,0.0],upper=[1.0,0.2]}' --set method.steps=10 --quiet
expect 0 2 run large.toml "${large[@]}" --output whole --quiet
expect 0 1 info --verify whole/u_000010.vtkhdf
# Values of an initial file that are too large are named with line, index and place. The row next to
# the face y = 1 is the first one with such values.
plate_case 'steps = 1' | sed -e 's/"float64"/"float32"/' -e '/^\[initial\]/,/^value = 1.0/d' \
  -e 's/^\[method\]/[initial]\nfile = "whole\/u_000010.vtkhdf"\n&/' >from.toml
for ranks in 1 3; do
  expect 2 $ranks run from.toml --output from
  complained 'from.toml:[0-9]*: \[initial\] file.*: whole/u_000010.vtkhdf, field "u", is not a number or infinite at \[38, 1\], that is at x = 0.0212[0-9]*, y = 0.9743[0-9]* (needs finite values in float32)$'
done

# A boundary value or source that becomes non-finite is named, with point and time, on any number of
# ranks, with and without residuals.
plate_case 'steps = 40' | sed 's/time_step = .*/time_step = 0.001/' >late.toml
for ranks in 1 3; do
  for every in 10 0; do
    expect 1 $ranks run late.toml --set 'boundary.x_upper={type="dirichlet",value="y/(0.02-t)"}' \
      --set method.check_every=$every --set checkpoint.every=5 --output late --overwrite
    complained 'no longer finite: the value of the face x_upper is not a finite number in float64 at x = 1, y = [0-9.]*, t = 0.02$'
    failed late
    [[ -f late/u_000015.vtkhdf && ! -e late/u_000020.vtkhdf ]] || fail "wrong files are left"
  done
  expect 1 $ranks run late.toml --set 'boundary.y_lower={type="neumann",value="x/(0.02-t)"}' --output late --overwrite
  complained 'the value of the face y_lower is not a finite number in float64 at x = [0-9.]*, y = 0, t = 0.02$'
  expect 1 $ranks run late.toml --set 'equation.source="1e35/(0.02-t)"' --set 'grid.precision="float32"' \
    --output late --overwrite
  complained 'the source is not a finite number in float32 at x = [0-9.]*, y = [0-9.]*, t = 0.02$'
done
# Numbers that grow beyond their precision: the message names the place and a remedy, and the
# earlier checkpoint remains.
diffusion_case 'steps = 40' | sed -e 's/^precision = .*/precision = "float32"/' \
  -e 's/^diffusivity = .*/diffusivity = 1e-4\nsource = "x > 0.6 ? (x < 0.8 ? 1e38 : 0) : 0"/' >overflow.toml
for ranks in 1 3; do
  for every in 4 0; do
    expect 1 $ranks run overflow.toml --set method.check_every=$every --set checkpoint.every=2 --output overflow \
      --overwrite --quiet
    complained 'no longer finite.* values are not finite, the first at x = 0.[4-6][0-9]*, y = 0[; ].* \[grid\] precision = "float64" allows numbers'
    ((ranks == 1)) || complained ' (rank [0-2]); '
    failed overflow
    [[ -f overflow/u_000002.vtkhdf && ! -e overflow/u_000040.vtkhdf ]] || fail "wrong files are left"
    expect 0 1 info overflow --verify
  done
done
# The same at a point that was not sampled when the case was read, with the line of the key.
cat >early.toml <<END
[grid]
points = [41, 41]
[equation]
type = "poisson"
source = "0*y"
[boundary]
all = { type = "dirichlet", value = 0.0 }
y = { type = "dirichlet", value = "x" }
[initial]
value = "x*y"
[method]
iterations = 3
[run]
device = "$device"
END
# early LINE OLD NEW SAYS
early() {
  sed "$1s/$2/$3/" early.toml >fault.toml
  expect 2 2 run fault.toml --output early
  complained "^isotherm: fault.toml:$1: $4.* is not a finite number in float64 at x = 0.05,"
  [[ $(grep -c "^isotherm: " "$work/err") == 1 && ! -e early ]] || fail "more than a message is left"
}
early 10 'x\*y' '1\/(x-0.05)' '\[initial\] value = "1/(x-0.05)": the initial value'
early 8 '"x"' '"1\/(x-0.05)"' '\[boundary\] y = .*: the value of the face y_[a-z]*'
early 5 '0\*y' '1\/(x-0.05)' '\[equation\] source = .*: the source'
cat >>early.toml <<END
[[boundary.patch]]
face = "y_lower"
where = "x < 0.5"
type = "neumann"
value = "1/(x-0.05)"
END
early 8 'y = .*' 'y_lower = { type = "neumann", value = 0.0 }' '\[boundary\] y_lower = .*: the value of a patch of the face y_lower'
echo "values that are not finite: all as they should be"
