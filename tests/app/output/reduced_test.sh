#!/usr/bin/env bash
# reduced_test.sh PROGRAM SOURCE_DIR: [output] cut and precision apply to every snapshot, including
# the last one. Complete checkpoints for resuming are written in addition. ISOTHERM_TEST_BACKEND:
# see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"
laplace_case 'iterations = 60' 'check_every = 20' | sed 's/"float32"/"float64"/' |
  cat - <(printf '%s\n' '[output]' 'snapshot_every = 20' 'picture = false' 'precision = "float32"' \
    'cut = { lower = [0.0, 0.0, 0.3], upper = [1.0, 0.8, 0.3] }') >plane.toml
sed '/^cut/d; /^precision = "float32"/d' plane.toml >whole.toml

# in_series DIRECTORY FILE...: the series contains exactly these
in_series() {
  local found
  found=$(grep -o 'u_[0-9a-z.]*vtkhdf' "$1/u.vtkhdf.series" | tr '\n' ' ')
  [[ $found == "${*:2} " ]] || fail "the series of $1 has $found instead of ${*:2}"
  found=$(grep -o 'u_[0-9a-z.]*vtkhdf:' "$1/u.xmf" | tr -d ':' | tr '\n' ' ')
  [[ $found == "${*:2} " ]] || fail "u.xmf of $1 has $found instead of ${*:2}"
}
fields() { (cd "$1" && printf '%s ' u_*.vtkhdf); }

expect 0 1 run plane.toml --dry-run
said ' 4 snapshots of .*, 1 whole field of '
expect 0 2 run plane.toml --output plane --quiet
snapshots=(u_000000.vtkhdf u_000020.vtkhdf u_000040.vtkhdf u_000060.vtkhdf)
[[ $(fields plane) == "${snapshots[*]:0:3} u_000060.checkpoint.vtkhdf u_000060.vtkhdf " ]] ||
  fail "the fields are $(fields plane)"
in_series plane "${snapshots[@]}"
for file in "${snapshots[@]}"; do
  expect 0 1 info "plane/$file"
  said '20 x 17 x 1, first'
  said 'float32'
  said 'cannot be resumed from'
done
expect 0 1 info plane/u_000060.checkpoint.vtkhdf
said 'checkpoint, can be resumed'
holds plane/summary.json '"final_file": "u_000060.checkpoint.vtkhdf"'
expect 0 1 run whole.toml --output whole --quiet
same_field whole/u_000060.vtkhdf plane/u_000060.checkpoint.vtkhdf
expect 0 1 run plane.toml --output plane --resume
said "already finished: plane/u_000060.checkpoint.vtkhdf"
# The final field is written again if another part of it is wanted.
cp -r plane other
expect 0 1 run plane.toml --output other --resume --set 'output.cut.upper=[1.0, 0.8, 0.6]' --quiet
expect 0 1 info other/u_000060.vtkhdf
said '20 x 17 x 7, first'

# An extended run with checkpoints, some at iterations with snapshots.
expect 0 3 run plane.toml --output plane --resume --set method.iterations=100 --set checkpoint.every=10 --quiet
in_series plane "${snapshots[@]}" u_000080.vtkhdf u_000100.vtkhdf
[[ $(cd plane && printf '%s ' *checkpoint.vtkhdf) == "u_000090.checkpoint.vtkhdf u_000100.checkpoint.vtkhdf " ]] ||
  fail "the checkpoints are $(fields plane)"
expect 0 1 run whole.toml --output whole --resume --set method.iterations=100 --quiet
same_field whole/u_000100.vtkhdf plane/u_000100.checkpoint.vtkhdf
expect 0 1 info plane --verify

# Leftovers of a kill are found and removed like other results.
rm plane/u_000100.*vtkhdf
echo "half a file" >plane/u_000100.checkpoint.vtkhdf.tmp
expect 0 1 run plane.toml --output plane --resume --set method.iterations=100
said 'resumed .*u_000090.checkpoint.vtkhdf'
said 'incomplete files of a killed run: u_000100.checkpoint.vtkhdf.tmp'
same_field whole/u_000100.vtkhdf plane/u_000100.checkpoint.vtkhdf
touch plane/u_best.checkpoint.vtkhdf

# Complete snapshots from now on: the series has one kind at a time.
expect 0 1 run whole.toml --output plane --resume --set method.iterations=120 --quiet
in_series plane u_000090.checkpoint.vtkhdf u_000100.checkpoint.vtkhdf u_000120.vtkhdf
expect 0 1 run plane.toml --output plane --overwrite --quiet
in_series plane "${snapshots[@]}"
[[ $(fields plane) == "${snapshots[*]:0:3} u_000060.checkpoint.vtkhdf u_000060.vtkhdf u_best.checkpoint.vtkhdf " ]] ||
  fail "the fields are $(fields plane)"

# A checkpoint that serves as a snapshot is kept like one, regardless of `keep`.
expect 0 1 run whole.toml --output both --quiet
expect 0 1 run whole.toml --output both --resume both/u_000020.vtkhdf --set output.snapshot_every=0 \
  --set checkpoint.every=20 --set checkpoint.keep=1 --set method.iterations=140 --quiet
[[ $(fields both) == "$(printf 'u_%06d.vtkhdf ' 0 20 40 60 120 140)" ]] || fail "the fields are $(fields both)"

# If a file could not replace one of another kind, the old file remains in the series.
expect 0 1 run plane.toml --output plane --overwrite --set checkpoint.every=50 --set checkpoint.keep=5 --quiet
code=0
LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="pwrite EIO 0 0 *u_000060.vtkhdf.tmp" "$program" run whole.toml \
  --output plane --resume plane/u_000050.checkpoint.vtkhdf --quiet >"$work/out" 2>"$work/err" || code=$?
((code == 1)) || fail "exit code $code instead of 1"
complained 'Input/output error'
in_series plane "${snapshots[@]}"

# A stopped steady run leaves a checkpoint, too.
"$program" run plane.toml --output stopped --set method.iterations=1000000000 --set output.snapshot_every=0 \
  --quiet >"$work/out" 2>"$work/err" &
job=$!
wait_until grep -q '^100,' stopped/residuals.csv
kill -s USR1 $job
code=0
wait $job || code=$?
((code == 75)) || fail "exit code $code of a run that was stopped"
compgen -G 'stopped/u_*.checkpoint.vtkhdf' >/dev/null || fail "no checkpoint was written"
expect 0 1 run plane.toml --output stopped --resume --set method.iterations=$(($(iteration_of stopped) + 10)) --quiet
echo "reduced: all as it should be"
