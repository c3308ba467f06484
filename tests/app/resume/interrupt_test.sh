#!/usr/bin/env bash
# interrupt_test.sh PROGRAM SOURCE_DIR: Ctrl-C under mpirun, which signals the ranks and kills them
# soon after, and runs that are killed while they write their last checkpoint.
# ISOTHERM_TEST_BACKEND: see support.sh.
source "$(dirname "$0")/../support.sh"
diffusion_case 'steps = 1000000000' 'check_every = 100' |
  sed 's/^points = .*/points = [200, 180]/' >endless.toml

# Background jobs of scripts ignore SIGINT, and mpirun would inherit that.
cat >"$work/as-in-front" <<'END'
#!/usr/bin/env bash
exec env --default-signal=INT "$@"
END
chmod +x "$work/as-in-front"

# Signalled, with enough time for the checkpoint.
if env --default-signal=INT true 2>/dev/null && mpirun --version | grep -q 'Open MPI) 4'; then
  "$work/as-in-front" mpirun --mca odls_base_sigkill_timeout 4 -n 2 "$program" run endless.toml \
    --output told >"$work/out" 2>"$work/err" &
  job=$!
  wait_until grep -q '^100,' told/residuals.csv
  kill -s INT "$job"
  ! wait $job || fail "mpirun was not interrupted"
  holds told/summary.json '"status": "stopped"'
  holds told/run.log '^.* stopping .*there is no file to resume from$'
  holds told/run.log '^.* stopped .*because of SIGTERM, continue with --resume'
  said '^stopped .*continue with --resume'
  said '^picture '
  at=$(iteration_of told)
  expect 0 2 run endless.toml --output told --resume --set method.steps=$((at + 5)) --quiet
else
  echo "left out: Ctrl-C, as mpirun is not Open MPI 4, or env cannot set signals"
fi

# Killed before the checkpoint is complete: the final message appears and names the older
# checkpoint. Noise of 16 MB takes a second or more to compress.
diffusion_case 'steps = 1000000000' 'check_every = 10' | sed 's/^points = .*/points = [1400, 1400]/
  s/^\[\[initial.box\]\]/[output]\ncompression = 9\npicture = false\n[checkpoint]\nevery = 2\n&/
  s/^value = 0.0/value = "sin(1e5*x*y) + sin(1e6*x) * cos(1e6*y)"/' >slow.toml
"$program" run slow.toml --output killed >"$work/out" 2>"$work/err" &
job=$!
wait_until test -e killed/u_000002.vtkhdf
kill -s TERM "$job"
wait_until grep -q '"message": "stopped because of SIGTERM, and killed while' killed/summary.json
kill -s KILL "$job"
wait "$job" 2>/dev/null || true
holds killed/summary.json '"status": "failed"'
holds killed/summary.json 'the newest file to resume from is u_0[0-9]*.vtkhdf, .* old"'
holds killed/run.log 'stopping .*because of SIGTERM, at iteration .*the newest file to resume from is u_0'
newest=$(grep -o 'u_[0-9]*\.vtkhdf' killed/summary.json | head -1)
expect 0 1 info "killed/$newest"
said "can be resumed"
expect 0 1 run slow.toml --output killed --resume --dry-run
said "would resume .*/$newest"

# in_hand FAULT NAME ARGUMENT...: a run into NAME in which some work takes time
in_hand() {
  LD_PRELOAD=$FAILING_CALLS ISOTHERM_RANDOM_DELAYS=900 ISOTHERM_FAILING_CALL=$1 \
    ISOTHERM_FAILING_CALL_MARK=$PWD/$2-is-at-work "$program" run endless.toml \
    --output "$2" "${@:3}" >"$work/out" 2>"$work/err" &
  job=$!
}
kill_it() {
  kill -s KILL $job
  wait $job 2>/dev/null || true
}
# Killed before the current work is done: the message appears nevertheless.
in_hand "pass wait:60000 0 150" busy --set 'run.plan="plain"'
wait_until test -e busy-is-at-work
kill -s TERM $job
wait_until grep -q '"message": "asked to stop by SIGTERM, and killed before the current iterations' busy/summary.json
kill_it
holds busy/run.log 'asked to stop by SIGTERM, after iteration [0-9]*, while iterations are running; there is no file to resume from'
# Killed after the checkpoint, but before its picture.
in_hand "open wait:60000 0 0 *u.png*" drawing
wait_until test -s drawing/residuals.csv
kill -s TERM $job
wait_until grep -q '"status": "stopped"' drawing/summary.json
kill_it
field=$(grep -o '"final_file": "[^"]*' drawing/summary.json | cut -d'"' -f4)
expect 0 1 info "drawing/$field" --verify
echo "interrupt: the last words are there"
