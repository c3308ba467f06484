#!/usr/bin/env bash
# directory_test.sh PROGRAM SOURCE_DIR: files that a run removes or replaces in its output
# directory, and files that it never touches.
source "$(dirname "$0")/../support.sh"
laplace_case 'iterations = 10' >case.toml
echo "# a person's note" >>case.toml
cp case.toml original.toml

# unchanged FILE...: the same names and bytes as before; see remember
remember() { sha256sum "$@" >"$work/sums"; }
unchanged() { sha256sum --check --quiet "$work/sums" >"$work/out" 2>&1 || fail "a file has changed"; }

# --- The case file may be in the output directory, even as its case.toml, and is not changed.
mkdir own linked
cp case.toml own/case.toml
remember own/case.toml
expect 0 2 run own/case.toml --output own
unchanged
complained 'case.toml in the output directory is the case file itself'
"$program" info own/u_000010.vtkhdf --case >as-run.toml
holds as-run.toml 'as run: --set output.directory="own"'
expect 0 1 run own/case.toml --output own --dry-run  # reports what prevents a run
complained 'a run would end with this error: own contains the results of a run'
unchanged
expect 0 1 run own/case.toml --output own --overwrite --quiet
unchanged
expect 0 1 run own/case.toml --output own --resume --quiet
unchanged
ln -s ../case.toml linked/case.toml
remember case.toml
expect 0 1 run linked/case.toml --output linked --overwrite --quiet
expect 0 1 run case.toml --output linked --overwrite --quiet
unchanged
[[ -L linked/case.toml ]] || fail "the link to the case file is gone"
cp case.toml linked/other.toml
expect 0 1 run linked/other.toml --output linked --overwrite --quiet
unchanged  # the link was replaced by a file; its target is unchanged
[[ ! -L linked/case.toml ]] || fail "case.toml is still a link"

# No message if the case contains everything that is run.
(cd own && expect 0 1 run case.toml --overwrite --set 'output.directory="."' && true)
sed '1i # all of it' own/case.toml | sed '$a [output]\ndirectory = "own"' >said.toml && mv said.toml own/case.toml
remember own/case.toml
expect 0 1 run own/case.toml --overwrite
unchanged
! grep -q 'case file itself' "$work/err" || fail "something was said without need"

# --- A run does not remove fields and tables that it reads, whatever their names.
# untouched PATTERN ARGUMENT...: refused, and nothing has changed
untouched() {
  local before
  before=$(ls -lR --time-style=full-iso)
  expect 2 1 "${@:2}"
  complained "$1"
  [[ $(ls -lR --time-style=full-iso) == "$before" ]] || fail "something was written by: ${*:2}"
}
expect 0 1 run case.toml --output first --quiet
from_file=(--set 'initial={file="first/u_000010.vtkhdf",dataset="/VTKHDF/PointData/u"}')
untouched '(\[initial\] file), would be replaced' run case.toml "${from_file[@]}" --output first --overwrite
ln first/u_000010.vtkhdf hard.vtkhdf
ln -s first/u_000010.vtkhdf soft.vtkhdf
for name in hard soft; do
  untouched "$name.vtkhdf, which is an input of this run (\[initial\] file), would be replaced" \
    run case.toml --output first --overwrite \
    --set "initial={file=\"$name.vtkhdf\",dataset=\"/VTKHDF/PointData/u\"}"
done
# If the initial file is elsewhere, --overwrite applies to the output directory only.
expect 0 1 run case.toml --output second --set method.iterations=20 --resume first/u_000010.vtkhdf --overwrite
[[ -f second/u_000020.vtkhdf && ! -e second/u_000010.vtkhdf && -f first/u_000010.vtkhdf ]] ||
  fail "--overwrite beside --resume FILE removes the wrong files"
untouched 'hard.vtkhdf, which is an input of this run (--resume), would be replaced' \
  run case.toml --resume hard.vtkhdf --output first --overwrite
expect 0 1 run case.toml "${from_file[@]}" --output second --overwrite --quiet
cp case.toml first/u.xmf
untouched 'u.xmf, which is an input of this run (the case), would be replaced' \
  run first/u.xmf --output first --overwrite

# --- Links with the names of results lead to other people's files: they are replaced, not followed.
mkdir links precious
for name in case.toml case.toml.tmp run.log residuals.csv residuals.csv.tmp summary.json.tmp u.png \
  u.png.tmp u.xmf u.xmf.tmp u.vtkhdf.series.tmp u_000010.vtkhdf; do
  echo "precious" >precious/$name
  ln -s ../precious/$name links/$name
done
remember precious/*
untouched 'contains the results' run case.toml --output links
expect 0 1 run case.toml --output links --overwrite --quiet
unchanged
for name in run.log residuals.csv u.png; do
  rm links/$name && ln -s ../precious/$name links/$name
done
# past its former end
expect 0 1 run case.toml --output links --resume --set method.iterations=12 --quiet
unchanged
[[ ! -L links/run.log && ! -L links/residuals.csv && ! -L links/u.png ]] || fail "a link is left"

# Anything that is neither a file nor a link is an error, reported before the computation.
mkdir -p way/u.png
untouched 'contains u.png, which is not a file' run case.toml --output way
rmdir way/u.png && mkfifo way/run.log
untouched 'contains run.log, which is not a file' run case.toml --output way

# --- Incomplete files of a killed run are removed when the next one starts, and nothing else is.
expect 0 1 run case.toml --output remains --set method.iterations=5 --quiet
remains=(u_000007.vtkhdf.tmp u.xmf.tmp case.toml.tmp)
for name in "${remains[@]}" u_best.vtkhdf.tmp notes.tmp u_7.tmp u_000009.vtkhdf.tmp.tmp; do
  echo "half" >"remains/$name"
done
expect 0 1 run case.toml --output remains --resume
said 'removed  *incomplete files of a killed run: case.toml.tmp, u.xmf.tmp, u_000007.vtkhdf.tmp$'
holds remains/run.log 'incomplete files of a killed run'
for name in "${remains[@]}"; do
  [[ ! -e remains/$name ]] || fail "remains/$name is still there"
done
for name in u_best.vtkhdf.tmp notes.tmp u_7.tmp u_000009.vtkhdf.tmp.tmp; do
  [[ -e remains/$name ]] || fail "remains/$name was removed"
done

# --- --resume-or-overwrite: for scripts that restart a run repeatedly.
again=(--output again --resume-or-overwrite)
diffusion_case 'steps = 60' >plane.toml
expect 0 2 run plane.toml "${again[@]}" --set method.steps=40
said 'started  *anew'
expect 0 1 run plane.toml "${again[@]}"
said 'resumed .*iteration 40'
expect 0 1 run plane.toml --output whole --quiet
same_field whole/u_000060.vtkhdf again/u_000060.vtkhdf

# A run that died before its first checkpoint left a snapshot that cannot be resumed.
mkdir early
expect 0 1 run plane.toml --output snapshots --set output.snapshot_every=30 \
  --set 'output.precision="float32"' --quiet
cp snapshots/u_000000.vtkhdf snapshots/case.toml early
echo "half" >early/u_000030.vtkhdf.tmp
expect 2 1 run plane.toml --output early --resume
expect 0 2 run plane.toml --output early --resume-or-overwrite --dry-run
[[ -e early/u_000000.vtkhdf ]] || fail "a dry run removed a field"
expect 0 2 run plane.toml --output early --resume-or-overwrite
said 'started  *anew'
same_field whole/u_000060.vtkhdf early/u_000060.vtkhdf
[[ ! -e early/u_000000.vtkhdf ]] || fail "the old snapshot is still there"

# Files of another problem, past the end, or unreadable: nothing is lost.
untouched 'points' run plane.toml "${again[@]}" --set 'grid.points=[9,9]'
untouched 'u_000060.vtkhdf is at iteration 60, after the last one of the case, 5$' \
  run plane.toml "${again[@]}" --set method.steps=5
mkdir broken && head -c 3000 whole/u_000060.vtkhdf >broken/u_000060.vtkhdf
untouched 'contains only a field that cannot be read to resume from' run plane.toml --output broken \
  --resume-or-overwrite
untouched 'excludes' run plane.toml "${again[@]}" --overwrite
untouched 'excludes' run plane.toml "${again[@]}" --resume

# --- A run that fits on a disk can be resumed on it. Needs a small disk, hence root.
mkdir disk
cat >cube.toml <<END
[grid]
points = [64, 64, 64]
precision = "float64"
[equation]
type = "laplace"
[boundary]
all = { type = "dirichlet", value = 1.0 }
[method]
iterations = 40
[output]
picture = false
[checkpoint]
every = 10
keep = 2
[run]
device = "$device"
END
# 4 fields of 2 MiB, and some space for the rest.
if [[ $(id -u) == 0 ]] && mount -t tmpfs -o size=10m tmpfs disk 2>/dev/null; then
  trap 'end_jobs; umount "$work/here/disk"; rm -rf "$work"' EXIT
  expect 0 1 run cube.toml --output disk/cube --set method.iterations=1000000000 --dry-run
  "$program" run cube.toml --output disk/cube --set method.iterations=1000000000 --quiet &
  job=$!
  wait_until compgen -G 'disk/cube/u_*[1-9]0.vtkhdf'  # any of them: each is removed soon
  kill -9 $job
  wait $job 2>/dev/null || true
  at=$("$program" info disk/cube | awk 'END { print $1 }')
  expect 0 1 run cube.toml --output disk/cube --resume --set method.iterations=$((at + 35)) --quiet
  [[ -e $(printf 'disk/cube/u_%06d.vtkhdf' $((at + 35))) ]] || fail "the resumed run has no end"
else
  echo "the small disk is left out: it cannot be mounted here"
fi
echo "output directories: all as they should be"
