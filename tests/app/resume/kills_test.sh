#!/usr/bin/env bash
# kills_test.sh PROGRAM SOURCE_DIR: a run that is killed repeatedly by SIGKILL, at moments that a
# seed determines, and restarted each time, ends with the bits of an undisturbed run. No kill
# damages a file. ISOTHERM_KILLS=100: number of kills on one rank, and on three; ISOTHERM_KILL_SEED:
# the seed.
in_memory=yes
source "$(dirname "$0")/../support.sh"
make_with_pid
kills=${ISOTHERM_KILLS:-4}
RANDOM=${ISOTHERM_KILL_SEED:-1}

diffusion_case 'steps = 1000000' 'check_every = 7' >case.toml
options=(--set checkpoint.every=5 --set checkpoint.keep=3 --set output.picture=false)

# a_while: waits up to twice the time from the start of a run to its first checkpoints, so that
# kills hit all parts of a run on any machine
a_while() { awk -v part=$RANDOM -v usual="$usual" 'BEGIN { print usual * 2 * part / 32768 }'; }
has_checkpoint() { compgen -G "$1/u_*.vtkhdf"; }

# start RANKS: starts a run in the folder killed, in the background; its process id is in $job
start() {
  rm -f pid-*
  ISOTHERM_RANDOM_DELAYS=3000 mpirun -n "$1" "$work/with-pid" "$program" run case.toml "${options[@]}" \
    --output killed --resume-or-overwrite --quiet >"$work/out" 2>"$work/err" &
  job=$!
  for ((rank = 0; rank < $1; ++rank)); do wait_until test -s pid-$rank; done
}
no_rank_runs() { ! ps -o stat= -p "$(cat pid-* | paste -sd,)" | grep -qv '^Z'; }
# All ranks end, whichever was killed. A launcher that does not notice is not isotherm's fault.
end_job() {
  until no_rank_runs; do sleep 0.1; done  # ranks may outlive their launcher
  for ((tenth = 0; tenth < 100; ++tenth)); do
    kill -0 $job 2>/dev/null || break
    sleep 0.1
  done
  kill -9 $job 2>/dev/null || true
  wait $job 2>/dev/null || true
}
kill_all() {
  cat pid-* 2>/dev/null | xargs -r kill -9 2>/dev/null || true
  end_job
}

newest=0
for ranks in 1 3; do
  began=$(date +%s.%N)
  start $ranks
  wait_until has_checkpoint killed
  usual=$(echo "$(date +%s.%N) $began" | awk '{ print $1 - $2 }')
  kill_all
  for ((number = 1; number <= kills; ++number)); do
    start $ranks
    sleep "$(a_while)"
    # A single rank, or all at the same time.
    if ((RANDOM % 2)); then
      kill -9 "$(cat pid-$((ranks - 1)))" 2>/dev/null || true
      end_job
    else
      kill_all
    fi
    expect 0 1 info killed --verify
    ! grep -q damaged "$work/out" "$work/err" || fail "a file is damaged after kill $number on $ranks ranks"
    at=$("$program" info killed 2>/dev/null | awk 'END { print $1 }')
    ((at >= newest)) || fail "after iteration $newest there was a file of iteration $at"
    newest=$at
  done
done
steps=$((newest + 8))
expect 0 3 run case.toml "${options[@]}" --set method.steps=$steps --output killed --resume-or-overwrite --quiet
! compgen -G "killed/*.tmp" >/dev/null || fail "a temporary file is left"
expect 0 1 run case.toml "${options[@]}" --set method.steps=$steps --output whole --quiet
field=$(printf 'u_%06d.vtkhdf' $steps)
same_field "killed/$field" "whole/$field"
same_table killed whole
echo "$kills kills on 1 rank and on 3, iteration $newest reached: all as it should be"
