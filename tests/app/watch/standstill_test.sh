#!/usr/bin/env bash
# standstill_test.sh PROGRAM SOURCE_DIR: a stopped rank is reported by its number. If it continues,
# so does the run, without consequences.
pictures=no
source "$(dirname "$0")/../support.sh"
make_with_pid

diffusion_case 'steps = 1000000' 'check_every = 1' >case.toml  # more than it can finish

# stands_still RANK: the rank is stopped, a rank reports it, the rank continues, and the run is
# ended
stands_still() {
  local name=still-$1 job code=0 host at field
  host=$(uname -n)
  rm -f pid-*
  ISOTHERM_PATIENCE_S=0.5 ISOTHERM_RANDOM_DELAYS=6000 mpirun -n 3 "$work/with-pid" \
    "$program" run case.toml --set checkpoint.every=20 --output "$name" >"$work/out" 2>"$work/err" &
  job=$!
  wait_until grep -q '^20,' "$name/residuals.csv"
  kill -s STOP "$(cat "pid-$1")"
  word="waiting for .* s, since iteration [0-9]*: rank $1 (pid $(cat "pid-$1") on $host) is stopped"
  wait_until grep -q "$word" "$work/err"
  kill -s CONT "$(cat "pid-$1")"
  wait_until grep -q "progress resumed after" "$work/err"
  kill -s USR1 "$(cat "pid-$1")"
  wait $job || code=$?
  ((code == 75)) || fail "exit code $code after rank $1 stood still"
  (($(grep -c "$word" "$work/err") == 1)) || fail "it was said more than once"
  (($1 == 0)) || holds "$name/run.log" "$word"  # run.log is the root's
  at=$(iteration_of "$name")
  field=$(printf 'u_%06d.vtkhdf' "$at")
  expect 0 1 run case.toml --set "method.steps=$at" --output "whole-$name" --quiet
  same_field "$name/$field" "whole-$name/$field"
  same_table "$name" "whole-$name"
}
stands_still 0
stands_still 2

# Very long timeouts are refused.
ISOTHERM_PATIENCE_S=1e12 ISOTHERM_RANDOM_DELAYS=6000 expect 0 2 run case.toml --set method.steps=100 --output patient
! grep "no progress" "$work/err" || fail "a patience of 1e12 s was soon over"

# refused PATIENCE RANKS
refused() {
  ISOTHERM_PATIENCE_S=$1 expect 2 "$2" run case.toml --output never
  complained "ISOTHERM_PATIENCE_S=\"$1\" in the environment is not a number of seconds, 0 or more"
}
refused long 2
for patience in -1 nan 3s ""; do
  refused "$patience" 1
done
for delays in abc -1 1.5 ""; do
  ISOTHERM_RANDOM_DELAYS=$delays expect 2 1 run case.toml --output never
  complained "ISOTHERM_RANDOM_DELAYS=\"$delays\" in the environment is not a whole number of microseconds"
done
ISOTHERM_RANDOM_DELAYS=many expect 2 2 run case.toml --output never
[[ $(grep -c '^isotherm: ' "$work/err") == 1 ]] || fail "not one message"
[[ ! -e never ]] || fail "something was written"
echo "standstill: all as it should be"
