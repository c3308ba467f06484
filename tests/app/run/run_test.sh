#!/usr/bin/env bash
# run_test.sh PROGRAM SOURCE_DIR: what a run computes, writes and prints. ISOTHERM_TEST_BACKEND: see
# support.sh.
source "$(dirname "$0")/../support.sh"

# The output directory contains all files of the run, and no others.
laplace_case 'iterations = 40' 'check_every = 10' >case.toml
expect 0 3 run case.toml --output out --set output.snapshot_every=15 --set checkpoint.every=7
cat >wanted <<END
case.toml
report.html
residuals.csv
run.log
summary.json
u.png
u.vtkhdf.series
u.xmf
u_000000.vtkhdf
u_000015.vtkhdf
u_000028.vtkhdf
u_000030.vtkhdf
u_000035.vtkhdf
u_000040.vtkhdf
u_snapshots.vtkhdf.series
u_snapshots.xmf
END
LC_ALL=C ls out | diff wanted - || fail "the output directory holds something else"
said "isotherm [0-9]" && said "3 ranks" && said "GCell/s"
holds out/run.log "GCell/s"

# The output describes problem, method, devices, memory and files in the words of the case, and at
# the end the field and the files to open. Details of the execution appear with --verbose and in the
# log only.
for entry in 'case .*laplace in 3D, 20 x 17 x 13 points, float32' 'method .*at most 40' \
  'devices .*3 ranks' memory 'output .*out' 'time ' 'rate ' \
  'field  *min [-0-9.e]* at x = .*, max [0-9.e]* at x = .*, z = [0-9.]*, mean [-0-9.e]*$' 'picture  *out/u.png$' 'ParaView  *out/u.xmf$'; do
  said "^$entry"
done
for entry in decomposition halos sweeps; do
  ! grep -q "^$entry" "$work/out" || fail "the header speaks of $entry"
  holds out/run.log "  $entry  *[0-9a-z]"
done
holds out/summary.json '"mean": 0\.[0-9]*'
head -c 8 out/u.png | od -An -tx1 | tr -d ' \n' | grep -q 89504e470d0a1a0a || fail "u.png is no PNG"
[[ $(cut -d, -f1 out/residuals.csv | xargs) == "iteration 0 10 20 30" ]] \
  || fail "residuals.csv holds other iterations: $(cat out/residuals.csv)"
holds out/summary.json '"status": "done"' && holds out/summary.json '"ranks": 3'
holds out/case.toml 'snapshot_every'
for file in out/u_0000{00,15,28,30,35,40}.vtkhdf; do
  holds out/u.xmf "$(basename "$file")" && holds out/u.vtkhdf.series "$(basename "$file")"
done
[[ $(grep -o 'u_[0-9]*' out/u_snapshots.vtkhdf.series | xargs) == "u_000000 u_000015 u_000030 u_000040" ]] ||
  fail "the series of snapshots holds something else"

# The same field on any number of ranks and for every decomposition.
expect 0 1 run case.toml --output one --quiet
[[ ! -s $work/out && ! -s $work/err ]] || fail "--quiet is not quiet"
same_field one/u_000040.vtkhdf out/u_000040.vtkhdf
for ranks in 2 4; do
  expect 0 $ranks run case.toml --output on$ranks --quiet
  same_field one/u_000040.vtkhdf on$ranks/u_000040.vtkhdf
done
expect 0 4 run case.toml --output forced -v --set 'run.decomposition=[1,4,1]'
for entry in 'decomposition *1 x 4 x 1' halos 'sweeps .*moves at least'; do
  said "^$entry"
done
same_field one/u_000040.vtkhdf forced/u_000040.vtkhdf

# The case in the output directory gives the same field again.
expect 0 1 run out/case.toml --output again --quiet
same_field one/u_000040.vtkhdf again/u_000040.vtkhdf

# The word run may be left out, and settings may follow the case.
expect 0 2 case.toml method.iterations=40 --output short --quiet
same_field one/u_000040.vtkhdf short/u_000040.vtkhdf

# A case from standard input works on any number of ranks, and can be resumed from there, too.
for ranks in 1 2; do
  mpirun -n $ranks "$program" run - --output piped$ranks --quiet <case.toml 2>"$work/err" || fail "run - on $ranks ranks"
  same_field one/u_000040.vtkhdf piped$ranks/u_000040.vtkhdf
done
sed 's/piped1/one/g' piped1/case.toml | cmp - one/case.toml || fail "the stored case differs from the one that came by a file"
"$program" run - --output piped1 --resume --set method.iterations=45 --quiet <case.toml || fail "run - --resume"
expect 0 1 run case.toml --output piped2 --resume --set method.iterations=45 --quiet
same_field piped1/u_000045.vtkhdf piped2/u_000045.vtkhdf
code=0
"$program" run - --output nothing </dev/null 2>"$work/err" || code=$?
((code == 2)) || fail "exit code $code from an empty case"
[[ ! -e nothing ]] || fail "an empty case left a directory"

# A dataset of another program as the initial field, read by any number of ranks.
initial='initial={file="one/u_000040.vtkhdf",dataset="/VTKHDF/PointData/u"}'
expect 0 3 run case.toml --output own --set method.iterations=0 --set "$initial" --quiet
same_field one/u_000040.vtkhdf own/u_000000.vtkhdf
expect 2 3 run case.toml --output wrong --set "$initial" --set 'grid.points=[20,17,14]'
complained "13" && complained "14"
[[ ! -e wrong ]] || fail "data of the wrong shape left a directory"

# Its path is relative to the case file. The stored case finds it from any folder, and either case
# resumes runs of the other one.
mkdir data
cp one/u_000040.vtkhdf data/u.h5
laplace_case 'iterations = 3' |
  sed 's|^value = "x\*y + z"|file = "u.h5"\ndataset = "/VTKHDF/PointData/u"|' >data/own.toml
expect 0 2 run data/own.toml --output far --quiet
here=$PWD
(cd / && expect 0 1 run "$here/far/case.toml" --output "$here/near" --quiet)
same_field far/u_000003.vtkhdf near/u_000003.vtkhdf
expect 0 2 run far/case.toml --output far --set method.iterations=5 --resume --quiet
expect 0 1 run data/own.toml --output far --set method.iterations=7 --resume --quiet
expect 0 1 run far/case.toml --output far --set method.iterations=9 --resume --quiet

# A tolerance: reached (0), or not before the limit (3), at the same iteration on any number of
# ranks.
laplace_case 'iterations = 5000' 'tolerance = 1e-2' 'check_every = 10' >tolerant.toml
expect 0 1 run tolerant.toml --output reached1
said "the tolerance is reached"
expect 0 3 run tolerant.toml --output reached3 --quiet
holds reached3/summary.json '"converged": true'
iterations() { grep -A1 '"result"' "$1/summary.json" | grep -o '[0-9]\+'; }
[[ $(iterations reached1) == "$(iterations reached3)" ]] || fail "the ranks' number decides the end"
expect 3 2 run tolerant.toml --output limited --set method.iterations=30
said "is not reached"
holds limited/summary.json '"status": "not-converged"' && holds limited/summary.json '"exit_code": 3'
expect 0 1 run tolerant.toml --output rare --dry-run --set method.check_every=5000
complained 'method.check_every=5000: .*only the initial field is checked, since the run has at most 5000 iterations'
[[ -f limited/u_000030.vtkhdf ]] || fail "a run that did not converge has no final field"

# Diffusion: pictures at the start, on the way and at the end; times in the table and in the series.
diffusion_case 'steps = 50' 'check_every = 20' >plane.toml
expect 0 2 run plane.toml --output plane --set output.compression=5 \
  --set 'output.snapshot_every=20' --set 'output.precision="float32"' \
  --set output.picture_every=15 --set 'output.picture_range=[0, 1]'
[[ -s plane/u.png && -s plane/u_initial.png && -s plane/u_000030.png ]] || fail "diffusion lacks a picture"
[[ $(echo plane/u_0*.png) == "plane/u_000000.png plane/u_000015.png plane/u_000030.png plane/u_000045.png plane/u_000050.png" ]] ||
  fail "a film of other frames"
# The width and height of a PNG follow its first 16 bytes, big-endian. Video formats need even
# numbers.
for frame in plane/u_0*.png; do
  read -ra size <<<"$(od -An -tu1 -j16 -N8 "$frame" | xargs)"
  ((size[3] % 2 == 0 && size[7] % 2 == 0)) || fail "$frame has an odd number of pixels"
done
expect 0 1 info plane
[[ $(grep -c resumable "$work/out") == 1 ]] || fail "only the final field of these is whole"

# Pictures in other formats, with contours and any title. Files of one format are removed if another
# is chosen.
expect 0 2 run plane.toml --output drawn --quiet --set 'title="Größe <1 µs"' \
  --set 'output.picture="svg"' --set output.contours=7
holds drawn/u.svg '<title>Größe &lt;1 µs, t = ' && holds drawn/u_initial.svg '</svg>'
[[ ! -e drawn/u.png && $(wc -c <"$work/err") == 0 ]] || fail "a picture that nobody asked for"
expect 0 1 run plane.toml --output drawn --quiet --overwrite \
  --set 'output.picture="pdf"' --set output.contours=true
[[ $(head -c 4 drawn/u.pdf) == %PDF && -s drawn/u_initial.pdf && ! -e drawn/u.svg ]] \
  || fail "no PDF, or an SVG that is left"

# OpenMP's threads spin only briefly, unless the user has chosen otherwise; OpenMP itself reports
# the effective settings.
spins() {
  env -u OMP_WAIT_POLICY OMP_DISPLAY_ENV=verbose "${@:2}" "$program" --version >"$work/out" 2>"$work/err"
  said '^isotherm [0-9]'
  [[ $(grep GOMP_SPINCOUNT "$work/err" | tail -n 1) == *"'$1'"* ]] || fail "threads do not spin $1 times: ${*:2}"
}
spins 5000
spins 77 GOMP_SPINCOUNT=77
spins 0 OMP_WAIT_POLICY=passive
# The process keeps its id and name. It can also be started through the dynamic loader.
env -u OMP_WAIT_POLICY "$program" bench sweep --grid 20x20x20 --plan plain --device cpu --repeat 1 >"$work/out" 2>"$work/err" &
until grep -qz '^GOMP_SPINCOUNT=5000' /proc/$!/environ; do sleep 0.01; done
[[ $(</proc/$!/comm) == "$(basename "$program")" ]] || fail "the program has another name"
wait $! || fail "a program that was started anew fails"
loader=$(readelf -p .interp "$program" | grep -o '/.*')
env -u OMP_WAIT_POLICY "$loader" "$program" --version >"$work/out" 2>"$work/err" || fail "not by the loader"
said '^isotherm [0-9]'

# A run continues if the reader of its output has ended.
code=0
mkfifo output.fifo
exec {reader}<>output.fifo {writer}>output.fifo
exec {reader}<&-
"$program" run case.toml --output unread 1>&"$writer" 2>"$work/err" || code=$?
exec {writer}>&-
((code == 0)) || fail "exit code $code where nobody reads the output"
holds unread/summary.json '"status": "done"'

# A title may be very long.
expect 0 1 run case.toml --output titled --quiet --set "title=$(printf '%100000s' '' | tr ' ' a)"
(($(stat -c %s titled/u.png) < 1000000)) || fail "the picture is as long as the title"

# Zero iterations work as well.
expect 0 2 run case.toml --output none --set method.iterations=0
[[ -f none/u_000000.vtkhdf ]] || fail "no iterations, no field"

# Commands that start and end at the same time do not disturb each other.
for round in 1 2 3; do
  started=()
  for number in 1 2 3 4 5 6; do
    "$program" check_nothing >"$work/out$number" 2>&1 &
    started+=($!)
  done
  for process in "${started[@]}"; do
    code=0
    wait "$process" || code=$?
    ((code == 2)) || fail "exit code $code from one of several commands: $(cat "$work"/out?)"
  done
done
echo "run: all as it should be"
