#!/usr/bin/env bash
# Two threads, one of them on a core that another program keeps busy. The other thread must not spin
# while it waits at the barrier after each sweep. The test compares processor time with that of
# threads that sleep immediately (OMP_WAIT_POLICY=passive), so other load on the machine does not
# matter.
# shellcheck source=tests/app/support.sh
source "$(dirname "$0")/../support.sh"

[[ $device == cpu ]] || { echo "skipped: about threads of the CPU"; exit 77; }
mapfile -t cores < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{ for (i = $1; i <= $NF; ++i) print i }')
((${#cores[@]} >= 2)) || { echo "skipped: needs two cores"; exit 77; }

laplace_case 'iterations = 10000' >case.toml
taskset -c "${cores[1]}" bash -c 'while :; do :; done' &
other=$!

# processor_time [VARIABLE=VALUE]...: prints the processor time of a run on both cores, in ms
processor_time() {
  local TIMEFORMAT='%U %S'
  { time env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OMP_NUM_THREADS=2 OMP_PROC_BIND=true \
      OMP_PLACES="{${cores[0]}},{${cores[1]}}" "$@" \
      taskset -c "${cores[0]},${cores[1]}" "$program" run case.toml --overwrite --quiet \
      --output measured 2>"$work/err"; } 2>&1 | awk '{ printf "%.0f\n", 1000 * ($1 + $2) }'
}

# Times of short runs scatter on a busy machine, so each is the smallest of several.
asleep=999999999 default=999999999
for _ in 1 2 3 4; do
  now=$(processor_time OMP_WAIT_POLICY=passive)
  ((now >= asleep)) || asleep=$now
  now=$(processor_time)
  ((now >= default)) || default=$now
  ((2 * default > 3 * asleep)) || break
done
kill $other
echo "processor time: $default ms by default, $asleep ms if threads sleep at once"
((2 * default <= 3 * asleep)) || fail "threads that wait burn processor time: $default ms instead of $asleep"
