# shellcheck shell=bash
# Sourced by the scripts of tests/app and tests/jobs, which are called with PROGRAM SOURCE_DIR.
#
# A script works in its own temporary folder. ISOTHERM_TEST_BACKEND names the device of its runs. If
# the device is missing, the script is skipped (exit code 77), or fails if ISOTHERM_REQUIRE_CUDA=1.
set -euo pipefail
program=$(realpath "$1")
source_dir=$(realpath "$2")
device=${ISOTHERM_TEST_BACKEND:-cpu}
unset ISOTHERM_PLAN_TABLE  # ignore the user's own plans
# Scripts with in_memory=yes run the program often and write little, and do not test disks, which
# may be slow to sync. They work in memory if there is enough.
memory_mib=$(df --output=avail -m /dev/shm 2>/dev/null | tail -1) || memory_mib=0
if [[ ${in_memory:-} == yes && ${memory_mib:-0} -ge 1024 && -w /dev/shm ]]; then
  work=$(mktemp -d -p /dev/shm)
else
  work=$(mktemp -d)
fi
export XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache
# Ends runs that a failed test has left in the background; CTest would wait for them.
end_jobs() { jobs -p | xargs -r kill -9 2>/dev/null || true; }
trap 'end_jobs; rm -rf "$work"' EXIT
mkdir "$work/here"
cd "$work/here"
: >"$work/out" && : >"$work/err"

fail() {
  echo "FAILED: $*" >&2
  for file in out err; do
    [[ ! -s $work/$file ]] || sed "s/^/  $file: /" "$work/$file" >&2
  done
  exit 1
}

# isotherm RANKS ARGUMENT...: runs the program on this number of ranks; its output goes to $work/out
# and $work/err. In scripts with pictures=no, runs draw only the pictures that they ask for by --set:
# a picture takes longer than the rest of a small run.
isotherm() {
  local ranks=$1 words=("${@:2}")
  if [[ ${pictures:-} == no && ${2:-} == run && ${3:--} != -* ]]; then
    words=(run "$3" --set output.picture=false "${@:4}")
  fi
  if ((ranks == 1)); then
    "$program" "${words[@]}" >"$work/out" 2>"$work/err"
  else
    mpirun -n "$ranks" "$program" "${words[@]}" >"$work/out" 2>"$work/err"
  fi
}

# expect CODE RANKS ARGUMENT...: runs the program and expects this exit code
expect() {
  local code=0
  isotherm "${@:2}" || code=$?
  ((code == $1)) || fail "exit code $code instead of $1 from: isotherm ${*:3} (on $2 ranks)"
}

# Expect the pattern in the output of the last run, in its errors, or in a file.
said() { grep -q -e "$1" "$work/out" || fail "'$1' is not in the output"; }
complained() { grep -q -e "$1" "$work/err" || fail "'$1' is not in the errors"; }
holds() { grep -q -e "$2" "$1" || fail "'$2' is not in $1"; }

# refused PATTERN ARGUMENT...: expects exit code 2, one line of errors with this pattern, and no new
# files here
refused() {
  local before
  before=$(ls -A)
  expect 2 1 "${@:2}"
  complained "$1"
  (($(wc -l <"$work/err") == 1)) || fail "more than one line of errors from: ${*:2}"
  [[ $(ls -A) == "$before" ]] || fail "something was left by: ${*:2}"
}
# refused_run PATTERN CASE OPTION...: the same of a run
refused_run() { refused "$1" run "${@:2}" --output refused; }

same_field() {
  expect 0 1 compare "$1" "$2"
  said "identical"
}

# Expects the same rows in two residuals.csv. Norms that are sums may differ in their last bits,
# because the order of summation depends on the ranks. Errors are relative to a range that is
# measured a few iterations later, depending on how the run is divided into chunks.
same_table() {
  paste -d, "$1/residuals.csv" "$2/residuals.csv" | awk -F, '
    NR == 1 { next }
    $1 == "" || $1 != $6 || $2 != $7 || ($5 == "") != ($10 == "") { exit bad = 1 }
    ($3 - $8) ^ 2 > 1e-24 * $3 ^ 2 || ($4 - $9) ^ 2 > 1e-24 * $4 ^ 2 { exit bad = 1 }
    ($5 - $10) ^ 2 > 1e-4 * $5 ^ 2 { exit bad = 1 }
    END { exit bad || NR < 2 }' || fail "$1/residuals.csv and $2/residuals.csv differ"
}

# column TABLE NAME: prints the last value of a column
column() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i } END { print $at }' "$1"
}
# near FOUND WANTED RELATIVE WHAT: expects a number, up to a relative difference
near() {
  awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (r * b) ^ 2) }' || fail "$4 is $1 instead of $2"
}
# stores_inflow TABLE STEP RELATIVE ROWS: expects that the heat which each step of this length
# stores is the flow at its end, times its length. The table of quantities has at least ROWS rows.
stores_inflow() {
  awk -F, -v step="$2" -v relative="$3" -v wanted="$4" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    NR > 2 {
      stored = $column["heat"] - heat; flown = step * $column["flux_balance"]
      if ((stored - flown) ^ 2 > (relative * flown) ^ 2 || flown == 0) { exit bad = 1 }
    }
    { heat = $column["heat"]; ++rows }
    END { exit bad || rows < wanted }' "$1" || fail "heat is not conserved in $1"
}
# stop_time DIRECTORY: prints the time of the run's stop, in s
stop_time() { grep -A5 '"stop": {' "$1/summary.json" | grep -o '"time_s": [^,]*' | cut -d' ' -f2; }

# iteration_of DIRECTORY: prints the iteration of the run's result
iteration_of() { grep -A1 '"result"' "$1/summary.json" | grep -o '[0-9]\+'; }

# wait_until COMMAND...: returns when the command succeeds. Fails if the background jobs of this
# shell end first. Otherwise it waits as long as a slow machine may need.
wait_until() {
  local tries=0 jobs_at_first
  jobs_at_first=$(jobs -rp)
  until "$@" >/dev/null 2>&1; do
    if [[ -n $jobs_at_first && -z $(jobs -rp) ]]; then
      "$@" >/dev/null 2>&1 && return
      fail "the job has ended, but this never held: $*"
    fi
    ((++tries < 6000)) || fail "this never held: $*"
    sleep 0.1
  done
}

# Creates $work/with-pid COMMAND..., which writes its process id to the file pid-RANK and becomes
# COMMAND.
make_with_pid() {
  cat >"$work/with-pid" <<'END'
#!/usr/bin/env bash
echo $$ >"pid-${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"
exec "$@"
END
  chmod +x "$work/with-pid"
}

# Prints a small 3D case; further arguments are lines of [method].
laplace_case() {
  cat <<END
title = "small"
[grid]
points = [20, 17, 13]
lower = [0.0, 0.0, 0.0]
upper = [1.0, 0.8, 0.6]
precision = "float32"
[equation]
type = "laplace"
[boundary]
all = { type = "dirichlet", value = 0.0 }
x_upper = { type = "neumann", value = 0.5 }
z_lower = { type = "dirichlet", value = "sin(pi*x)*y" }
[initial]
value = "x*y + z"
[method]
name = "jacobi"
$(printf '%s\n' "$@")
[run]
device = "$device"
END
}

# Prints a small periodic 2D case; further arguments are lines of [method].
diffusion_case() {
  cat <<END
title = "plane"
[grid]
points = [48, 40]
lower = [0.0, 0.0]
upper = [1.0, 1.0]
precision = "float64"
[equation]
type = "diffusion"
diffusivity = 0.1
[boundary]
all = { type = "periodic" }
[initial]
value = 0.0
[[initial.box]]
lower = [0.25, 0.25]
upper = [0.75, 0.75]
value = 1.0
[method]
name = "ftcs"
time_step = "stable"
$(printf '%s\n' "$@")
[run]
device = "$device"
END
}

if [[ $device == cuda ]]; then
  diffusion_case 'steps = 1' >probe.toml
  if ! "$program" run probe.toml --dry-run --quiet 2>probe.err; then
    cat probe.err >&2
    [[ ${ISOTHERM_REQUIRE_CUDA:-0} != 1 ]] || exit 1
    echo "skipped: no CUDA device"
    exit 77
  fi
  rm -f probe.toml probe.err
fi
