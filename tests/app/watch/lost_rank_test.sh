#!/usr/bin/env bash
# lost_rank_test.sh PROGRAM SOURCE_DIR: a rank that hangs, dies or fails at a known pass ends the
# job on all ranks, with its reason first, for every halo transport. Slow steps of all ranks, and a
# suspension of all ranks, are tolerated. FAILING_CALLS in the environment: the library that makes a
# rank fail (tests/support/failing_calls.cpp).
in_memory=yes
source "$(dirname "$0")/../support.sh"
make_with_pid

diffusion_case 'steps = 60' 'check_every = 20' >case.toml
plain=(--set 'run.plan="plain"' --set output.picture=false)
expect 0 1 run case.toml "${plain[@]}" --output whole --quiet

# with FAULT ARGUMENT...: a run on three ranks with detectable passes; its exit code is in $code
with() {
  code=0
  ISOTHERM_RANDOM_DELAYS=900 timeout 300 mpirun -n 3 -x ISOTHERM_RANDOM_DELAYS -x LD_PRELOAD="$FAILING_CALLS" \
    -x ISOTHERM_FAILING_CALL="$1" "$program" run case.toml "${plain[@]}" --quiet "${@:2}" \
    >"$work/out" 2>"$work/err" || code=$?
  ((code != 124)) || fail "a run does not end where $1"
}
# Prints the program's first line that is not a warning.
first_error() { awk '/^isotherm: / && !/^isotherm: warning: / { print; exit }' "$work/err"; }

# fails FAULT PATTERN ARGUMENT...: the run ends with exit code 1 and a first line that matches
fails() {
  with "$1" --output broken --overwrite "${@:3}"
  ((code == 1)) || fail "exit code $code instead of 1 where $1"
  first_error | grep -q -e "$2" || fail "'$2' is not what comes first where $1"
  [[ ! -e broken/u_000060.vtkhdf ]] || fail "there is a result where $1"
}

impatient=(--set 'run.patience="00:00:02"')
for transport in peer mpi staged; do
  on=(--set "run.transport=$transport")
  fails "pass bad_alloc 1 37" "^isotherm: rank 1: out of host memory" "${on[@]}"
  with "pass kill 2 37" --output broken --overwrite "${on[@]}"
  ((code != 0)) && [[ -s $work/err ]] || fail "a rank that was killed is not missed"
  fails "pass hang 2 37" "^isotherm: rank 0: no answer for .*, since iteration [0-9]*: rank 2 (pid [0-9]* on $(uname -n)) neither works with the others nor waits; the job is ended" \
    "${impatient[@]}" "${on[@]}"
  holds broken/summary.json '"status": "failed"'
  holds broken/run.log "error: no answer for .*rank 2"
done
fails "pass error 0 12" "^isotherm: rank 0: a pass was told to fail"
fails "pass error 2 0" "^isotherm: rank 2: a pass was told to fail"
fails "pass spin 0 37" "^isotherm: rank 1: no answer for .*: rank 0 (pid " "${impatient[@]}"
fails "pass stop 1 37" "^isotherm: rank 0: no answer for .*: rank 1 (pid [0-9]* on .*) is stopped; the job" "${impatient[@]}"

fails "fsync hang 1 0 *" "^isotherm: rank 0: no answer for .*: rank 1 (pid [0-9]* on .*) \\(hangs in a call\\|neither works\\)" \
  "${impatient[@]}" --set 'output.precision="float64"'

# Slowness of all ranks is no fault, nor are many slow calls of a disk, nor anything if the watchdog is disabled.
goes_on() {
  with "$1" --output slow "${@:2}"
  ((code == 0)) || fail "exit code $code where $1"
  same_field whole/u_000060.vtkhdf slow/u_000060.vtkhdf
  rm -r slow
}
goes_on "pass wait:4500 -1 12 - 1" "${impatient[@]}"
goes_on "pwrite wait:900 1 0 - 4" "${impatient[@]}"
goes_on "pass wait:3000 1 12 - 1" --set 'run.patience="0"'

# A job that is suspended as a whole, and continued.
rm -f pid-*
ISOTHERM_RANDOM_DELAYS=9000 mpirun -n 3 "$work/with-pid" "$program" run case.toml "${plain[@]}" --quiet \
  "${impatient[@]}" --set method.steps=500 --output paused >"$work/out" 2>"$work/err" &
job=$!
wait_until grep -q '^20,' paused/residuals.csv
cat pid-* | xargs kill -s STOP
sleep 4
cat pid-* | xargs kill -s CONT
code=0
wait $job || code=$?
((code == 0)) || fail "exit code $code after a job was suspended"
echo "lost ranks: all as it should be"
