#!/usr/bin/env bash
# failing_disk_test.sh PROGRAM SOURCE_DIR: if a call of the file system fails on any rank while a
# snapshot is written, the run ends immediately on all ranks. It prints the reason first, exits with
# code 1, and leaves valid files only. FAILING_CALLS in the environment: the library that makes
# calls fail.
source "$(dirname "$0")/../support.sh"

laplace_case 'iterations = 60' >case.toml
options=(--set checkpoint.every=20 --set checkpoint.keep=5 --set output.picture=false)

# Prints the program's first line that is not a warning.
first_error() { awk '/^isotherm: / && !/^isotherm: warning: / { print; exit }' "$work/err"; }

# fails RANKS "CALL ERROR RANK COUNT" REASON [OPTION]...
fails() {
  local name=$1-${2// /-} code=0
  timeout 600 mpirun -n "$1" -x LD_PRELOAD="$FAILING_CALLS" -x ISOTHERM_FAILING_CALL="$2" \
    "$program" run case.toml "${options[@]}" --output "$name" "${@:4}" >"$work/out" 2>"$work/err" || code=$?
  ((code == 1)) || fail "exit code $code instead of 1 where $2 on $1 ranks"
  first_error | grep -q "$3" || fail "the reason '$3' is not what comes first"
  ! compgen -G "$name/*.tmp" >/dev/null || fail "a temporary file is left where $2"
  holds "$name/summary.json" '"status": "failed"'
  holds "$name/run.log" "error: .*$3"
}

# counted NAME WRITTEN FAILED ITERATIONS: expects these numbers in summary.json of a failed run
counted() {
  holds "$1/summary.json" "\"fields_written\": $2,"
  holds "$1/summary.json" "\"fields_failed\": $3,"
  [[ $(iteration_of "$1") == "$4" ]] || fail "$1 has come to iteration $(iteration_of "$1") instead of $4"
}

full="No space left on device"
fails 1 "pwrite EIO 0 0" "Input/output error"
fails 1 "ftruncate EIO 0 1" "Input/output error"
fails 3 "pwrite EIO 1 300" "Input/output error"
fails 3 "pwrite ENOSPC -1 0" "$full"
fails 3 "pwrite EDQUOT 2 0" "Disk quota exceeded"
fails 2 "pwrite EIO 0 1" "Input/output error" --set output.compression=1
# Space is reserved on real disks only.
[[ $(stat -f -c %T .) == tmpfs ]] || fails 2 "fallocate ENOSPC 0 0" "$full"
fails 3 "fsync EIO 2 2" "Input/output error"
fails 2 "fsync EIO 0 0" "Input/output error"
fails 2 "rename EIO 0 1" "Input/output error"

counted 1-pwrite-EIO-0-0 0 3 60
counted 2-rename-EIO-0-1 1 2 60
# The earlier checkpoint of iteration 20 is valid.
for name in 3-pwrite-EIO-1-300 2-rename-EIO-0-1 3-fsync-EIO-2-2; do
  [[ -f $name/u_000020.vtkhdf && ! -e $name/u_000040.vtkhdf ]] || fail "wrong files in $name"
  expect 0 2 run case.toml "${options[@]}" --output "$name" --resume --quiet
done
expect 0 1 run case.toml "${options[@]}" --output whole --quiet
same_field whole/u_000060.vtkhdf 3-pwrite-EIO-1-300/u_000060.vtkhdf

# Other files, too, are synced before they are renamed.
code=0
LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="fsync EIO 0 0 case.toml.tmp" \
  "$program" run case.toml --output unsynced >"$work/out" 2>"$work/err" || code=$?
((code == 1)) || fail "exit code $code instead of 1 where case.toml cannot be synced"
complained "cannot sync .*Input/output error"
[[ ! -e unsynced/case.toml && ! -e unsynced/case.toml.tmp ]] || fail "a case that was not synced is there"

# A failed picture does not end a run, whether of the initial field or of a stopped run.
diffusion_case 'steps = 1000000000' >endless.toml
LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="open ENOSPC 0 0 *.png*" "$program" run endless.toml \
  --output drawn --set checkpoint.every=10000 >"$work/out" 2>"$work/err" &
job=$!
wait_until test -s drawn/residuals.csv
kill -s USR1 $job
code=0
wait $job || code=$?
((code == 75)) || fail "exit code $code of a run that was stopped and could not be drawn"
[[ $(grep -c 'warning: a picture could not be drawn: .*No space left' "$work/err") == 2 ]] || fail "other pictures are left out"

# If the directory is moved away, nothing is written to another one of its name: neither between two
# files, nor while the second one is about to be opened or renamed.
for call in "none - 0 0" "open wait:200 0 1 - 1" "fsync wait:200 0 1 - 1" \
  "open wait:200 0 1 .xmf.tmp 1" "open wait:200 0 1 .vtkhdf.series.tmp 1"; do
  rm -rf moved away began
  LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="$call" ISOTHERM_FAILING_CALL_MARK=began \
    "$program" run endless.toml --output moved --set checkpoint.every=10000 --set output.picture=false \
    >"$work/out" 2>"$work/err" &
  job=$!
  wait_until compgen -G 'moved/u_*.vtkhdf'
  [[ $call == none* ]] || wait_until test -e began
  mv moved away
  mkdir moved
  wait_until grep -q 'warning: .* moved was moved, removed or replaced' "$work/err"
  kill -s USR1 $job
  code=0
  wait $job || code=$?
  ((code == 1)) || fail "exit code $code of a run whose directory was moved ($call)"
  [[ -z $(ls -A moved) ]] || fail "in another directory than the run's: $(ls -A moved) ($call)"
  expect 0 1 info away --verify
done

# The same for pictures: files with their names or those of their temporary files remain.
rm -rf moved away
# A million steps need less than 3 GiB of disk for pictures, and outlast the test.
"$program" run endless.toml --output moved --set checkpoint.every=10000 --set output.picture_every=1000 \
  --set method.steps=1000000 \
  >"$work/out" 2>"$work/err" &
job=$!
wait_until compgen -G 'moved/u_00*.png'
mv moved away
mkdir moved
for name in u.png u.png.tmp u_{001..200}000.png u_{001..200}000.png.tmp; do echo foreign >moved/$name; done
cp -r moved foreign
wait_until grep -q 'warning: a picture could not be drawn: .* moved was moved, removed or replaced' "$work/err"
kill -s USR1 $job
wait $job || true
diff -r foreign moved || fail "a picture goes to another directory than the run's"

# Partial reads and writes are no failure.
for compression in 0 1; do
  LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="pwrite short 0 0" expect 0 1 \
    run case.toml "${options[@]}" --set output.compression=$compression --output short$compression --quiet
  same_field whole/u_000060.vtkhdf short$compression/u_000060.vtkhdf
done
echo "failing disks: all as they should be"
