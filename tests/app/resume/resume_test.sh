#!/usr/bin/env bash
# resume_test.sh PROGRAM SOURCE_DIR: a resumed run ends like an uninterrupted one, bit for bit.
# ISOTHERM_TEST_BACKEND: see support.sh.
pictures=no
source "$(dirname "$0")/../support.sh"

# Ended half way by its length and resumed on other numbers of ranks; the end lies between checks.
for kind in laplace diffusion; do
  key=$([[ $kind == laplace ]] && echo iterations || echo steps)
  ${kind}_case "$key = 90" 'check_every = 20' >$kind.toml
  expect 0 1 run $kind.toml --output $kind-whole --quiet
  for ranks in "1 3" "4 2" "2 1"; do
    read -r first second <<<"$ranks"
    expect 0 "$first" run $kind.toml --output $kind-$first --set method.$key=47 --quiet
    expect 0 "$second" run $kind.toml --output $kind-$first --resume
    said "resumed .*iteration 47"
    same_field $kind-whole/u_000090.vtkhdf $kind-$first/u_000090.vtkhdf
    same_table $kind-whole $kind-$first
    holds $kind-$first/summary.json '"iteration": 47'
  done
done

# A tolerance ends a resumed run at the same iteration as the uninterrupted one.
laplace_case 'iterations = 5000' 'tolerance = 1e-2' 'check_every = 10' >tolerant.toml
expect 0 2 run tolerant.toml --output tolerant-whole --quiet
expect 3 3 run tolerant.toml --output tolerant --set method.iterations=63 --quiet
expect 0 1 run tolerant.toml --output tolerant --resume --quiet
same_table tolerant-whole tolerant
last=$(cd tolerant-whole && echo u_*.vtkhdf)
same_field "tolerant-whole/$last" "tolerant/$last"
# If nothing remains to be done, no file changes, whether the tolerance or the length ended the run.
ended() { # CODE RANKS CASE DIRECTORY OPTION...
  local before
  before=$(ls -l --time-style=full-iso "$4")
  expect "$1" "$2" run "$3" --output "$4" --resume "${@:5}"
  said "^already finished: .*; nothing was changed$"
  [[ $(ls -l --time-style=full-iso "$4") == "$before" ]] || fail "$4 was changed"
}
ended 0 1 tolerant.toml tolerant
ended 0 2 laplace.toml laplace-whole --device cpu
# Another goal gives another result.
cp -r laplace-whole aim
expect 3 1 run laplace.toml --output aim --resume --set method.absolute_tolerance=1e-12 --quiet
ended 3 1 laplace.toml aim --set method.absolute_tolerance=1e-12
expect 3 1 run tolerant.toml --output short --set method.iterations=63 --quiet
ended 3 1 tolerant.toml short --set method.iterations=63
# It continues if the case asks for more iterations or other files.
expect 0 1 run laplace.toml --output laplace-whole --resume --set 'output.picture="svg"' --quiet
[[ -f laplace-whole/u.svg ]] || fail "no picture was drawn of a run that had ended"
rm laplace-whole/summary.json
expect 0 1 run laplace.toml --output laplace-whole --resume --quiet
[[ -f laplace-whole/summary.json ]] || fail "a summary that was missing is still missing"

# A case without a method keeps that of the file, not the default.
laplace_case 'tolerance = 1e-4' | grep -v '^name = "jacobi"$' >unnamed.toml
expect 0 1 run unnamed.toml --output kept --set method.name=multigrid --set method.tolerance=1e-1 --quiet
expect 0 1 run unnamed.toml --output kept --resume
said '^method  *multigrid, ' && said '^method  *multigrid, kept from the file$'
expect 0 1 run unnamed.toml --output anew && said '^method  *direct, ' && said '^  *the default: estimated to be faster'

# Oblique conductors: aggregates replace the coarser grids. A resumed run keeps them, and a finished run remains finished.
cat >strips.toml <<END
[grid]
points = [65, 65]
[equation]
type = "diffusion"
capacity = 1.0
conductivity = "1 + 999999*(mod(floor(32*(x + y) + 0.5), 8) < 1.5)"
source = 1.0
[boundary]
all = { type = "neumann" }
y_lower = { type = "dirichlet", value = 0.0 }
y_upper = { type = "dirichlet", value = 1.0 }
[method]
name = "backward_euler"
time_step = 1e3
steps = 4
[output]
picture = false
report = false
[run]
device = "$device"
END
expect 0 1 run strips.toml --output strips --quiet
holds strips/summary.json '"hierarchy": "aggregates"'
expect 0 1 run strips.toml --output strips-cut --quiet --set method.steps=2
expect 0 1 run strips.toml --output strips-cut --resume
said '^coarse grids  aggregates, as before$'
same_field strips/u_000004.vtkhdf strips-cut/u_000004.vtkhdf
expect 0 1 run strips.toml --output strips-cut --resume && said 'already finished'
holds laplace-whole/summary.json '"hierarchy": null'

# From a named file into a new directory.
expect 0 2 run laplace.toml --output elsewhere --resume laplace-4/u_000047.vtkhdf --quiet
same_field laplace-whole/u_000090.vtkhdf elsewhere/u_000090.vtkhdf

# A run from an earlier file keeps its own checkpoints, not older ones of later iterations.
expect 0 1 run diffusion.toml --output earlier --set output.snapshot_every=50 --set checkpoint.every=30 --quiet
expect 0 2 run diffusion.toml --output earlier --resume earlier/u_000050.vtkhdf --set method.steps=58 \
  --set checkpoint.every=7 --set checkpoint.keep=1 --quiet
[[ -f earlier/u_000056.vtkhdf ]] || fail "the checkpoint of iteration 56 was removed at once"

# has_reached DIRECTORY ITERATION: a checkpoint of this or a later iteration exists. A fast run may
# have removed any particular one.
has_reached() {
  "$program" info "$1" >"$work/reached" 2>&1 && awk -v least="$2" 'END { exit !($1 >= least) }' "$work/reached"
}

# Killed without warning: the newest complete file is used, incomplete ones are not.
laplace_case 'iterations = 1000000000' 'check_every = 50' >long.toml
"$program" run long.toml --output killed --set checkpoint.every=200 --quiet &
job=$!
wait_until has_reached killed 600
kill -9 $job
wait $job 2>/dev/null || true
expect 0 1 info killed
at=$(awk 'END { print $1 }' "$work/out")
limit=$((at + 130))
newest=$(printf 'killed/u_%06d.vtkhdf' "$at")
echo "half a file" >"$newest.tmp"

# A truncated newest file is named, and the one before it is used.
cp "$newest" truncated.vtkhdf
truncate -s -700 truncated.vtkhdf
cp truncated.vtkhdf "$(printf 'killed/u_%06d.vtkhdf' $((at + 50)))"
expect 0 2 run long.toml --output killed --resume --set method.iterations=$limit
complained "ignored: .*u_0*$((at + 50)).vtkhdf"
said "resumed .*iteration $at"
expect 0 1 run long.toml --output unbroken --set method.iterations=$limit --quiet
same_field "$(printf 'unbroken/u_%06d.vtkhdf' $limit)" "$(printf 'killed/u_%06d.vtkhdf' $limit)"
same_table unbroken killed

# damage FILE: changes a value in the middle
damage() {
  local size offset
  size=$(stat -c %s "$1")
  for offset in 5 6; do
    printf 'damaged!' | dd of="$1" bs=1 seek=$((size * offset / 8)) conv=notrunc status=none
  done
}

# The same for a file with a valid header and damaged values.
mkdir damaged
cp laplace-4/u_000047.vtkhdf damaged/u_000047.vtkhdf
cp laplace-whole/u_000090.vtkhdf damaged/u_000090.vtkhdf
damage damaged/u_000090.vtkhdf
expect 0 2 run laplace.toml --output damaged --resume
complained "ignored: .*u_000090"
same_field laplace-whole/u_000090.vtkhdf damaged/u_000090.vtkhdf

damage damaged/u_000047.vtkhdf
damage damaged/u_000090.vtkhdf
expect 2 2 run laplace.toml --output damaged --resume
complained 'none of the 2 fields in damaged can be resumed from: the newest, damaged/u_000090.vtkhdf is damaged: .*isotherm verify damaged lists the faults'

# If it is the only file, a bad one is refused with its reason.
expect 2 2 run laplace.toml --output alone --resume truncated.vtkhdf
complained "truncated.vtkhdf"
echo "text" >text.vtkhdf
expect 2 2 run laplace.toml --output alone --resume text.vtkhdf
complained "text.vtkhdf"
[[ ! -e alone ]] || fail "a refused resume left a directory"

# A reduced snapshot cannot be resumed, and the message says why.
expect 0 1 run diffusion.toml --output small --set output.snapshot_every=30 \
  --set 'output.precision="float32"' --quiet
expect 2 1 run diffusion.toml --output alone --resume small/u_000030.vtkhdf
complained "cannot be resumed from"
echo "resume: all as it should be"
