#!/usr/bin/env bash
# stop_test.sh PROGRAM SOURCE_DIR: a run that is asked to stop writes a checkpoint, ends with exit
# code 75, and is resumed like an uninterrupted run. ISOTHERM_TEST_BACKEND: see support.sh.
source "$(dirname "$0")/../support.sh"

field_at() { printf '%s/u_%06d.vtkhdf' "$1" "$2"; }

# stopped_by SIGNAL RANKS
stopped_by() {
  local signal=$1 ranks=$2 name=stopped-$1-$2 job code=0 at limit
  diffusion_case 'steps = 1000000000' 'check_every = 100' |
    sed 's/^points = .*/points = [200, 180]/' >endless.toml
  if ((ranks == 1)); then
    "$program" run endless.toml --output "$name" --quiet &
  else
    mpirun -n "$ranks" "$program" run endless.toml --output "$name" --quiet 2>"$work/err" &
  fi
  job=$!
  wait_until grep -q '^100,' "$name/residuals.csv"  # it is running
  kill -s "$signal" "$job"
  wait $job || code=$?
  ((code == 75)) || fail "exit code $code after SIG$signal on $ranks ranks"
  holds "$name/summary.json" '"status": "stopped"'
  holds "$name/summary.json" '"exit_code": 75'
  holds "$name/run.log" "continue with --resume"
  at=$(iteration_of "$name")
  [[ -f $(field_at "$name" "$at") && -f $name/u.png ]] || fail "no checkpoint of iteration $at"
  expect 0 1 info "$(field_at "$name" "$at")"
  said "checkpoint, can be resumed"

  limit=$((at + 111))
  expect 0 2 run endless.toml --output "$name" --resume --set method.steps=$limit --quiet
  expect 0 1 run endless.toml --output "whole-$name" --set method.steps=$limit --quiet
  same_field "$(field_at "$name" $limit)" "$(field_at "whole-$name" $limit)"
  same_table "$name" "whole-$name"
}

stopped_by TERM 1
stopped_by USR1 1
stopped_by INT 1

# Some launchers do not forward SIGUSR1.
launcher_passes_it_on() {
  local job code=0
  mpirun -n 1 bash -c 'trap "exit 7" USR1; touch trapped; for i in {1..50}; do sleep 0.1; done' \
    2>/dev/null &
  job=$!
  wait_until test -e trapped
  kill -s USR1 $job
  wait $job || code=$?
  ((code == 7))
}
if launcher_passes_it_on; then
  stopped_by USR1 3
else
  echo "left out: this mpirun does not pass SIGUSR1 on to the ranks"
fi

# stops_once FILE NAME ARGUMENT...: a run into NAME stops if asked to when FILE exists
stops_once() {
  local job code=0
  "$program" run endless.toml --output "$2" --quiet "${@:3}" &
  job=$!
  wait_until test -e "$2/$1"
  kill -s USR1 $job
  wait $job || code=$?
  ((code == 75)) || fail "exit code $code after a request once $2/$1 was there"
}
diffusion_case 'steps = 1000000000' >endless.toml
# A request before the first iteration is handled.
stops_once run.log early

# A request during start-up is handled, too: nothing is written, and existing files remain. env
# leaves the signal blocked, hence pending until the program installs its handler.
cat >"$work/asked-early" <<'END'
#!/usr/bin/env bash
exec env --block-signal=USR1 bash -c 'kill -s USR1 $$; exec "$@"' bash "$@"
END
chmod +x "$work/asked-early"
ends_early() {
  local code=0
  timeout 600 "$@" >"$work/out" 2>"$work/err" || code=$?
  ((code == 75)) || fail "exit code $code after a request before the start"
  # The root reports it, or, if set-up takes long, the rank that has the request.
  grep -q "stopped because of SIGUSR1 before the first iteration" "$work/out" "$work/err" \
    || fail "the reason for the early end is missing"
}
if env --block-signal=USR1 true 2>/dev/null; then
  ends_early "$work/asked-early" "$program" run endless.toml --output never
  [[ ! -e never ]] || fail "a run that had not begun left something"
  ends_early mpirun -n 2 "$program" run endless.toml --output never : \
    -n 1 "$work/asked-early" "$program" run endless.toml --output never
  [[ ! -e never ]] || fail "a run that had not begun left something"
  cp -r early before
  ends_early "$work/asked-early" "$program" run endless.toml --output early --overwrite
  diff -r early before || fail "a run that had not begun touched what was there"
else
  echo "left out: this env does not block signals"
fi

# A request during set-up ends the run promptly. Here the case never arrives: the shell holds the
# other end of the pipe.
mkfifo pipe.toml
make_with_pid
# unborn RANKS ARGUMENT...: starts a run, and returns when it reads the case
unborn() {
  mpirun -n "$1" "$work/with-pid" "$program" run pipe.toml --output unborn "${@:2}" >"$work/out" 2>"$work/err" &
  job=$! code=0
  exec {writer}>pipe.toml  # waits for the reader
}
ends_in_set_up() {
  wait $job || code=$?
  exec {writer}>&-
  ((code == 75)) || fail "exit code $code after a request during set-up"
}
for dry in '' --dry-run; do
  # shellcheck disable=SC2086
  unborn 1 $dry
  kill -s TERM "$(cat pid-0)"
  ends_in_set_up
  said "^stopped because of SIGTERM before the first iteration; nothing was written$"
  complained "SIGTERM: stopping; nothing has been written"
done
# The other rank waits for the root, which has not received the signal.
unborn 2
kill -s TERM "$(cat pid-1)"
ends_in_set_up
complained "^isotherm: rank 1: stopped because of SIGTERM before the first iteration"
[[ ! -e unborn ]] || fail "a run that had not begun left something"

# A signal that reaches a single rank other than the root stops all ranks and is named.
mpirun -n 3 "$work/with-pid" "$program" run endless.toml --output alone >"$work/out" 2>"$work/err" &
job=$! code=0
wait_until grep -q '^100,' alone/residuals.csv
kill -s XCPU "$(cat pid-2)"
wait $job || code=$?
((code == 75)) || fail "exit code $code after SIGXCPU for one rank"
holds alone/summary.json '"message": "stopped because of SIGXCPU"'
! grep "stopping after" "$work/err" || fail "another rank than the root answered"

# The request is acknowledged immediately, by one line.
"$program" run endless.toml --output answered >"$work/out" 2>"$work/err" &
job=$! code=0
wait_until grep -q '^100,' answered/residuals.csv
kill -s TERM "$job"
wait $job || code=$?
((code == 75)) || fail "exit code $code after SIGTERM"
[[ $(grep SIGTERM "$work/err") == "isotherm: SIGTERM: stopping after the current iterations, with a checkpoint" ]] \
  || fail "the request was not answered by one line"

# It is handled even if values vary in time and each step is slow.
diffusion_case 'steps = 1000000000' 'check_every = 10' | sed 's/^points = .*/points = [500, 500]/
  s/^diffusivity.*/&\nsource = "sin(t) * exp(-x*x - y*y) * sin(pi*x) * sin(pi*y) * cos(3*x*y)"/' >slow.toml
"$program" run slow.toml --output slow --quiet &
job=$! code=0
wait_until test -e slow/run.log
kill -s USR1 "$job"
wait $job || code=$?
((code == 75)) || fail "exit code $code from a run of slow steps"

# With a criterion, the last checkpoint is that of a check.
"$program" run endless.toml --output checked --quiet --set 'method.stop=max > 5' --set method.check_every=700 &
job=$! code=0
wait_until grep -q '^700,' checked/residuals.csv
kill -s TERM "$job"
wait $job || code=$?
((code == 75)) || fail "exit code $code from a run with a criterion"
at=$(iteration_of checked)
((at > 0 && at % 700 == 0)) && [[ -f $(field_at checked "$at") ]] || fail "the checkpoint is that of iteration $at"
expect 0 1 run endless.toml --output checked --resume --quiet --set 'method.stop=max > 5' \
  --set method.check_every=700 --set method.steps=$((at + 700))
expect 0 1 run endless.toml --output unchecked --quiet --set method.check_every=700 --set method.steps=$((at + 700))
same_field "$(field_at checked $((at + 700)))" "$(field_at unchecked $((at + 700)))"
same_table checked unchecked

# If a snapshot is due at the iteration of the stop, the file is one: no later run may remove it.
stops_once u_000003.vtkhdf kept --set output.snapshot_every=1 --set output.compression=1
expect 0 1 info kept
! grep checkpoint "$work/out" || fail "a snapshot became a checkpoint"
echo "stop: all as it should be"
