#!/usr/bin/env bash
# initial_field_test.sh PROGRAM SOURCE_DIR: runs that start from the field of a run on another grid.
# C++ tests check the numbers. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"
laplace_case 'iterations = 20000' 'tolerance = 1e-4' 'check_every = 20' >case.toml
expect 0 1 run case.toml --output coarse --quiet --set output.picture=false
fine=(--set 'grid.points=[39,33,25]' --set output.picture=false --quiet)
begin=(--set initial.file="coarse/u_$(printf %06d "$(iteration_of coarse)").vtkhdf")

# Any number of ranks starts with the same bits, which are those of `isotherm resample`.
for curve in cubic spline; do
  for ranks in 1 3; do
    expect 3 $ranks run case.toml "${fine[@]}" "${begin[@]}" --set "initial.resample=$curve" \
      --set method.iterations=0 --output "$curve$ranks"
    same_field "${curve}1" "$curve$ranks"
  done
  expect 0 2 resample coarse --points 39x33x25 "--$curve" --device "$device" --output "$curve.vtkhdf"
  expect 3 1 run case.toml "${fine[@]}" --set "initial.file=$curve.vtkhdf" --set method.iterations=0 --output finer
  same_field "${curve}1" finer
  rm -r finer
done

# The solution on a coarser grid is a good initial guess.
expect 0 1 run case.toml "${fine[@]}" --output anew
expect 0 1 run case.toml "${fine[@]}" "${begin[@]}" --set initial.resample=true --output better
((2 * $(iteration_of better) < $(iteration_of anew))) ||
  fail "$(iteration_of better) iterations from a solution, $(iteration_of anew) without"

# The stored case starts in the same way, and resumes if the interpolation is the same.
expect 0 1 run better/case.toml --output again --quiet
same_field better again
expect 0 1 run better/case.toml --output better --resume --set method.tolerance=5e-5 --quiet
expect 2 1 run better/case.toml --output better --resume --set initial.resample=cubic --set method.tolerance=2e-5
complained '\[initial\] resample is "cubic", but the file has "linear"'

# refused PATTERN OPTION...: a message of one line, and nothing is written
refused() {
  expect 2 1 run case.toml --output refused "${@:2}"
  [[ $(grep -c '^isotherm: ' "$work/err") == 1 ]] || fail "not one line of errors"
  complained "$1"
  [[ ! -e refused ]] || fail "a refused run left a directory"
}
refused 'coarse/.* has 20 x 17 x 13 points, but the grid has 39 x 33 x 25 (set resample = true to interpolate)$' \
  "${fine[@]}" "${begin[@]}"
refused 'is 3D, but the grid of the case is 2D' "${begin[@]}" --set initial.resample=true --set 'grid.points=[39,33]' \
  --set 'grid.lower=[0,0]' --set 'grid.upper=[1,1]' --set 'boundary={all={type="dirichlet"}}'
echo "not HDF5" >other.vtkhdf
refused 'other.vtkhdf is not an HDF5 file' --set initial.file=other.vtkhdf --set initial.resample=true
refused 'resample needs the key file' --set initial.resample=true
refused 'smaller grid' "${begin[@]}" --set initial.resample=true --set 'grid.points=[20000,20000,20000]'
echo "initial fields: all as they should be"
