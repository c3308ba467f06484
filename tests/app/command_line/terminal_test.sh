#!/usr/bin/env bash
# terminal_test.sh PROGRAM SOURCE_DIR: a run continues if its output or log cannot be written. A
# command whose only result is output fails with exit code 1.
source "$(dirname "$0")/../support.sh"

diffusion_case 'steps = 40' 'check_every = 10' >case.toml
expect 0 1 run case.toml --output whole --quiet

# times FILE PATTERN: prints the number of matching lines
times() { grep -c -e "$2" "$1" || true; }

# A full disk behind standard output.
for ranks in 1 2; do
  code=0
  mpirun -n $ranks bash -c '"$@" >/dev/full' bash "$program" run case.toml --output full$ranks \
    2>"$work/err" || code=$?
  ((code == 0)) || fail "exit code $code where standard output is full"
  holds full$ranks/summary.json '"status": "done"' && holds full$ranks/run.log "GCell/s"
  lost="warning: cannot write to standard output: No space left on device"
  (($(times full$ranks/run.log "$lost") == 1 && $(times "$work/err" "$lost") == 1)) ||
    fail "lost output was not reported once"
  same_field full$ranks/u_000040.vtkhdf whole/u_000040.vtkhdf
done

# Missing standard descriptors: no file of the run must get their numbers.
code=0
"$program" run case.toml --output closed <&- >&- 2>&- || code=$?
((code == 0)) || fail "exit code $code without standard descriptors"
same_field closed/u_000040.vtkhdf whole/u_000040.vtkhdf
holds closed/run.log "warning: cannot write to standard output: Bad file descriptor"
same_table closed whole
! grep -l "GCell/s" closed/case.toml closed/residuals.csv || fail "lines for the terminal are in a file"

# A reader that has ended.
"$program" run case.toml --output piped 2>"$work/err" | head -n 1 >/dev/null
((PIPESTATUS[0] == 0)) || fail "a run ended with its reader"
same_field piped/u_000040.vtkhdf whole/u_000040.vtkhdf

# A log that cannot be written, because it has reached the maximum size of files.
expect 0 1 run case.toml --output unlogged --set method.steps=20 --quiet
truncate -s 64M unlogged/run.log
(
  ulimit -f 65536
  expect 0 1 run case.toml --output unlogged --resume
)
lost="warning: cannot write to the log: .*File too large"
(($(times "$work/err" "$lost") == 1)) || fail "a log that is lost was not reported once"
same_field unlogged/u_000040.vtkhdf whole/u_000040.vtkhdf

# On a terminal of 80 columns the progress bar begins with the remaining time and the rate.
if command -v script >/dev/null; then  # `script` provides a terminal
  laplace_case 'iterations = 200000' 'tolerance = 1e-3' 'check_every = 10' >tolerant.toml
  TERM=xterm script -qec "stty cols 80; '$program' run tolerant.toml --output bar" /dev/null </dev/null |
    tr '\r' '\n' | sed -n 's/^\x1b\[K\(\[[#.]*\] \)/\1/p' >"$work/out"
  said '^\[[#.]\{10\}\] \(about \|at most \)\?[0-9][0-9.:e-]* \(s\|min\) left, [0-9.e-]* GCell/s, iteration [0-9]'
  ! grep -q '.\{80\}' "$work/out" || fail "a bar is wider than the terminal"
  # No escape sequences if the terminal does not support them or the user does not want them.
  for wish in TERM=dumb TERM= NO_COLOR=1; do
    TERM=xterm script -qec "env $wish '$program' run tolerant.toml --overwrite --output bar" /dev/null </dev/null >"$work/out"
    said 'the tolerance is reached'
    ! grep -q $'\x1b' "$work/out" || fail "escapes in spite of $wish"
  done
fi

# A command whose only result is output fails if it cannot print.
fails_to_print() {
  local code=0
  "$program" "$@" >/dev/full 2>"$work/err" || code=$?
  ((code == 1)) || fail "exit code $code from $* to a full disk"
  complained "cannot write the output"
  code=0
  "$program" "$@" >&- 2>"$work/err" || code=$?
  ((code == 1)) || fail "exit code $code from $* without standard output"
}
fails_to_print info whole/u_000040.vtkhdf
fails_to_print compare whole/u_000040.vtkhdf closed/u_000040.vtkhdf
fails_to_print new laplace
fails_to_print run case.toml --output dry --dry-run
echo "terminal: all as it should be"
