#!/usr/bin/env bash
# fields_test.sh PROGRAM SOURCE_DIR: the commands that compute fields from files, from the command
# line to their files. C++ tests check the numbers. ISOTHERM_TEST_BACKEND: see support.sh;
# FAILING_CALLS: the library that makes calls fail.
in_memory=yes
source "$(dirname "$0")/../support.sh"
laplace_case 'iterations = 5' | sed 's/"float32"/"float64"/' >case.toml
expect 0 1 run case.toml --output run --quiet
on=(--device "$device")

# writes COMMAND...: it writes out.vtkhdf and its picture, which appear only when complete
writes() {
  rm -f out.vtkhdf out.png
  expect 0 "$1" "${@:2}" "${on[@]}" --output out.vtkhdf
  said '^wrote out.vtkhdf and out.png$'
  [[ -s out.png ]] || fail "there is no picture"
  expect 0 1 verify out.vtkhdf
}
writes 2 smooth run --width 0.05
writes 1 smooth run/u_000005.vtkhdf --width 0.1 --box --edges clamp
echo 1 >one
writes 3 smooth --weights one --edges zero run
same_field run out.vtkhdf
printf '1\n' >one-a-line
writes 2 smooth run --weights one-a-line
same_field run out.vtkhdf
writes 2 project run --axis z --of 'u * u' --by max
expect 0 1 info out.vtkhdf
said '20 x 17, first'
cp out.vtkhdf plane.vtkhdf
printf '0 0 0\n0 1 0\n0 0 0\n' >middle
writes 3 smooth plane.vtkhdf --weights middle
same_field plane.vtkhdf out.vtkhdf
zeros='0 0 0\n0 0 0\n0 0 0\n'
printf "$zeros\n0 0 0\n0 1 0\n0 0 0\n\n$zeros" >space
writes 3 smooth run --weights space
same_field run out.vtkhdf
writes 2 project run --axis y
writes 3 project run --axis x --by mean --running
expect 0 1 info out.vtkhdf
said '20 x 17 x 13, first'
writes 3 resample run --points 39x33x25 --cubic
writes 3 resample run --points 39x33x25 --spline
writes 1 resample --shift 0.1,-0.2,0.05 --rotate 30 --edges mirror run
# Every second point of a finer grid is one of the field's own; texture units are asked for in vain.
writes 3 resample run --points 39x33x25 --nearest
cp out.vtkhdf steps.vtkhdf
writes 1 resample steps.vtkhdf --points 20x17x13 --nearest
same_field run out.vtkhdf
expect 0 1 resample run --points 39x33x25 --output finer.vtkhdf
writes 2 resample run --points 20x17x13
same_field run out.vtkhdf
cp out.vtkhdf other.vtkhdf
writes 1 resample run --like other.vtkhdf

# combine computes on the CPU only.
combines() {
  rm -f combined.vtkhdf combined.png
  expect 0 "$1" combine "${@:2}" --output combined.vtkhdf
  said '^wrote combined.vtkhdf and combined.png$'
}
combines 3 run other.vtkhdf --of '(a + b) / 2'
same_field run combined.vtkhdf
combines 1 run run
expect 0 1 info combined.vtkhdf --statistics
said '^ *max *0 at'

# refused PATTERN ARGUMENT...: a message of one line, and nothing is written
refused() {
  rm -f out.vtkhdf out.png
  expect 2 1 "${@:2}"
  complained "$1"
  [[ $(wc -l <"$work/err") == 1 ]] || fail "more than one line of errors"
  [[ ! -e out.vtkhdf && ! -e out.png ]] || fail "a refused command left something behind"
}
refused 'give either --width or --weights' smooth run --output out.vtkhdf
refused 'at most 31.75' smooth run --width 9 --output out.vtkhdf
refused 'a width of nan points' smooth run --width nan --output out.vtkhdf
refused '"a" is not a weight' smooth run --weights <(echo 1 a 1) --output out.vtkhdf
refused 'has 2 weights (needs an odd number' smooth run --weights <(echo 1 1) --output out.vtkhdf
refused 'line 3 has 1 weights, but line 1 has 3 (needs one row' smooth run --weights <(printf '1 2 1\n\n1\n') \
  --output out.vtkhdf
refused 'a table of 2 rows of 3 weights (needs odd numbers, each at most 63, and at most 3969 weights' smooth run --weights <(printf '1 2 1\n1 2 1\n') \
  --output out.vtkhdf
refused 'a table of 2 planes of 3 rows of 3 weights' \
  smooth run --weights <(printf '0 1 0\n1 1 1\n0 1 0\n\n0 1 0\n1 1 1\n0 1 0\n') --output out.vtkhdf
refused 'the plane that ends on line 5 has 1 rows, but the first one has 3' \
  smooth run --weights <(printf '0 1 0\n1 1 1\n0 1 0\n\n0 1 0\n') --output out.vtkhdf
refused 'a table of 3 planes of weights for a 3D field, but this field is 2D' \
  smooth plane.vtkhdf --weights space --output out.vtkhdf
refused '--edges: up is not one of wrap, clamp, mirror, zero' smooth run --width 0.1 --edges up --output out.vtkhdf
refused '--device: 1 is not one of auto, cuda, cpu' bench sweep --device 1
refused '--hardware: texture units take float32, but .* is in float64$' resample run --hardware --output out.vtkhdf
refused '--hardware: texture units interpolate linearly, .* (leave out --cubic)$' resample run --hardware --cubic --output out.vtkhdf
refused '--axis: q is not one of x, y, z' project run --axis q --output out.vtkhdf
refused '"v" is not known (known are u, x' project run --axis z --of v --output out.vtkhdf
refused 'is not finite in float64 at' project run --axis z --of 'log(u - 100)' --output out.vtkhdf
refused '--shift 1: give one number per axis' resample run --shift 1 --output out.vtkhdf
refused '--shift 1,2,x: give one number per axis' resample run --shift 1,2,x --output out.vtkhdf
refused '--shift 1,2,: give one number per axis' resample run --shift 1,2, --output out.vtkhdf
refused 'resample needs .* of host memory per rank' resample run --points 16384x16384x16384 --output out.vtkhdf --device cpu
refused '--cubic excludes --spline' resample run --cubic --spline --output out.vtkhdf
refused '--points 3: give the points per axis' resample run --points 3 --output out.vtkhdf
refused '--points: .* is 3D (needs points along x, y and z)' resample run --points 30x30 --output out.vtkhdf
refused 'no such file\|cannot be' resample none.vtkhdf --output out.vtkhdf
refused 'must end in .vtkhdf' resample run --output out.h5
refused 'a has 20 x 17 x 13 points, b has 39 x 33 x 25 (isotherm resample finer.vtkhdf --like' \
  combine run/u_000005.vtkhdf finer.vtkhdf --output out.vtkhdf
refused '"v" is not known (known are a, b, x' combine run run --of v --output out.vtkhdf
refused 'is not finite in float64 at' combine run run --of '1/(a - b)' --output out.vtkhdf
# Existing files remain, and the input in any case.
cp other.vtkhdf before.vtkhdf
expect 2 1 smooth run --width 0.1 --output other.vtkhdf
complained 'already exists: --overwrite replaces it'
expect 2 1 smooth other.vtkhdf --width 0.1 --output other.vtkhdf --overwrite
complained 'other.vtkhdf is an input file'
cp other.vtkhdf input.png  # the picture would replace it
expect 2 1 smooth input.png --width 0.1 --output input.vtkhdf --overwrite
complained 'input.png is an input file'
cmp input.png before.vtkhdf || fail "the input was replaced by a picture"
expect 2 1 resample run --like other.vtkhdf --output other.vtkhdf --overwrite
complained 'other.vtkhdf is an input file'
cmp other.vtkhdf before.vtkhdf || fail "a file was replaced that was not to be"
# An input with the name of a temporary file is not destroyed.
echo 1 >weights
for name in late.vtkhdf.tmp late.png.tmp; do
  cp other.vtkhdf $name
  for words in "smooth $name --width 0.1" "resample $name --like other.vtkhdf" "resample run --like $name" \
    "smooth run --weights $name" "project $name --axis x"; do
    # shellcheck disable=SC2086
    expect 2 1 $words --output late.vtkhdf
    complained "$name is an input file"
    cmp $name before.vtkhdf || fail "what was read is destroyed by: $words"
  done
  rm $name
done
expect 0 1 smooth run --width 0.1 --output other.vtkhdf --overwrite
# Weights from a pipe reach all ranks.
echo 1 | expect 0 2 smooth run --weights /dev/stdin --output piped.vtkhdf
same_field run piped.vtkhdf
# If the disk is full when the picture is written, the existing output is reported.
LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="open ENOSPC 0 0 *.png*" \
  expect 1 1 smooth run --width 0.1 --output drawn.vtkhdf
complained 'drawn.vtkhdf was written, but not its picture: .*No space left'
expect 0 1 verify drawn.vtkhdf
# A result that overflows is an error.
sed 's/"float64"/"float32"/' case.toml >single.toml
expect 0 1 run single.toml --output single --quiet
expect 1 1 smooth single --weights <(echo 1e29 1e29 1e29) --output out.vtkhdf
[[ ! -e out.vtkhdf && ! -e out.vtkhdf.tmp ]] || fail "values that are not finite were written"
# A run can start from such a result.
expect 0 1 run case.toml --set 'grid.points=[39,33,25]' --set initial.file=finer.vtkhdf \
  --set initial.dataset=/VTKHDF/PointData/u --output begun --quiet
echo "fields: all as it should be"
