#!/usr/bin/env bash
# measure-scaling.sh DIRECTORY [PART]...
#
# Measures the speed of several ranks on this host and its GPUs, and checks the promises of docs/explanation/scaling.md.
# Writes text and JSON to DIRECTORY, which must not exist. The last lines are a table of all results. The exit code
# is 1 if a check fails; speeds are not checked.
#
#   ranks        fields of 1, 2, 3, 4 and 8 ranks, which share GPUs if necessary: the same bits for jacobi and ftcs,
#                equal within a tolerance for multigrid
#   checkpoint   the largest number of ranks writes a checkpoint during a run, one rank resumes from it: the same bits
#   kill         after a rank is killed, the job ends soon, with an exit code other than 0
#   sweeps       bench scaling: 1024³, 512³, 16384², 20480², 4096², and 1024³ per rank
#   solve        bench solve: 512³, 1024³, and as many points per rank; numbers of cycles differ by at most one
#
# Without PART it runs all parts, in at most nine minutes (TIME; checks without time left fail). Environment variables:
#
#   RANKS="1 2 3 4"   the numbers of ranks (default: 1, 2, 4 … up to the number of GPUs; without GPUs 1, 2 and 4).
#                     bench scaling uses 1, 2, 4 … and the largest of them
#   FIELD_RANKS="1 2" the numbers of ranks of the part ranks: 1, and others to compare with it
#   SMALL=1           small grids, which take seconds on CPUs (default without a GPU)
#   QUICK=1           no grids of more than 512³ points per rank, and one measurement each
#   LONG=1            also solves heterogeneous media of 1024³ points, whose coefficients take minutes to evaluate
#   TIME=540          seconds after which no part starts and the running one is stopped (LONG=1: no limit)
#   DEVICE=cpu        the value of isotherm's --device
#   ISOTHERM=…        the program, instead of the one on the path or in the tree's build/
#   MPIRUN="…"        the launcher and its options, without the number of ranks (-n N)
set -euo pipefail
refuse() { echo "measure-scaling.sh: $*" >&2; exit 2; }
all_parts=(ranks checkpoint kill sweeps solve)
help() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; }
[[ ${1:-} != -h && ${1:-} != --help ]] || { help; exit 0; }
[[ -n ${1:-} && $1 != -* ]] || { help >&2; exit 2; }
directory=$1
parts=("${@:2}")
((${#parts[@]})) || parts=("${all_parts[@]}")
for part in "${parts[@]}"; do
  [[ " ${all_parts[*]} " == *" $part "* ]] || refuse "there is no part '$part' (valid parts: ${all_parts[*]})"
done
[[ ! -e $directory ]] || refuse "'$directory' already exists (choose a new directory)"
here=$(cd "$(dirname "$0")/../.." && pwd)
source "$here/jobs/slurm/launch.sh"
program=$(find_isotherm "$here")
program=$(realpath "$program")

for name in SMALL QUICK LONG; do
  [[ ${!name:-0} == [01] ]] || refuse "$name must be 0 or 1, not '${!name}'"
done
[[ ${DEVICE:-auto} =~ ^(auto|cuda|cpu)$ ]] || refuse "DEVICE must be auto, cuda or cpu, not '$DEVICE'"
gpus=0
[[ ${DEVICE:-auto} == cpu ]] || gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || gpus=0
small=${SMALL:-$((gpus == 0))}
quick=${QUICK:-0}
if [[ -z ${RANKS:-} ]]; then
  RANKS=1
  for ((n = 2; n <= (gpus > 0 ? gpus : 4); n *= 2)); do RANKS+=" $n"; done
fi
number='[1-9][0-9]{0,3}'
[[ $RANKS =~ ^\ *$number(\ +$number)*\ *$ ]] || refuse "RANKS must be numbers of ranks, such as '1 2 4', not '$RANKS'"
most=$(printf '%s\n' $RANKS | sort -n | tail -n 1)
field_ranks=${FIELD_RANKS:-1 2 3 4 8}
[[ $field_ranks =~ ^1(\ +$number)+$ ]] || refuse "FIELD_RANKS must be 1 and other numbers of ranks, such as '1 2 4', not '$field_ranks'"
read -ra mpirun <<<"${MPIRUN:-mpirun}"
command -v "${mpirun[0]:-}" >/dev/null || refuse "'${mpirun[0]:-}' is not on the path (set MPIRUN to the launcher of the ranks)"
# Ranks may be more than cores, and each has its share of them (Open MPI would keep two ranks to a core each).
if [[ -z ${MPIRUN:-} ]] && mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
  mpirun+=(--oversubscribe --bind-to none)
fi
device=(--device "${DEVICE:-auto}")
repeat=(--repeat $((quick || small ? 1 : 2)))
time_limit=${TIME:-540}
[[ ${LONG:-0} != 1 || -n ${TIME:-} ]] || time_limit=86400
[[ $time_limit =~ ^[1-9][0-9]{0,6}$ ]] || refuse "TIME must be a number of seconds, not '$time_limit'"

complaint=$("${mpirun[@]}" -n 1 "$program" --version 2>&1 >/dev/null) ||
  refuse "${mpirun[0]} does not start $program: $(grep -m1 '[[:alpha:]]' <<<"$complaint")"

complaint=$(mkdir -p "$directory" 2>&1) || refuse "cannot create '$directory': ${complaint##*: }"
cd "$(realpath "$directory")"
: >verdicts

# verdict ok|FAILED|missing|note PART WHAT: a line of the table at the end
verdict() {
  printf '%-8s %-11s %s\n' "$@" >>verdicts || exit 1 # the disk may be full
  [[ $1 == note ]] || printf '  %s: %s\n' "$1" "$3"
}
# within COMMAND...: ends it when the time is over; exit code 124 then, and where there was none left
within() {
  local left=$((time_limit - SECONDS))
  ((left > 0)) || return 124
  timeout --foreground --kill-after=10 "$left" "$@" # --foreground: Ctrl-C reaches it
}
on_ranks() { within "${mpirun[@]}" -n "$1" "$program" "${@:2}"; }

# measured PART NAME RANKS ARGUMENT...: one measurement, which leaves NAME.txt and NAME.json
measured() {
  local name=$2 code=0 began=$SECONDS
  on_ranks "$3" "${@:4}" "${device[@]}" "${repeat[@]}" --json "$name.json" >"$name.txt" 2>"$name.err" || code=$?
  cat "$name.txt" && cat "$name.err" >&2
  echo "  ($((SECONDS - began)) s)"
  if ((code == 124)); then
    verdict missing "$1" "$name: the time limit was reached"
  elif grep -q 'does not fit into memory' "$name.err"; then
    verdict missing "$1" "$name: does not fit into memory"
  elif ((code)); then
    verdict FAILED "$1" "$name: exit code $code: $(first_word "$name.err")"
  fi
  [[ -s $name.err ]] || rm -f "$name.err"
  return $((code > 0))
}
# first_word FILE: what the program, or else what starts it, has complained of
first_word() { grep -m1 '^isotherm: ' "$1" || grep -m1 '[[:alpha:]]' "$1" || true; }
# times NUMBER: of ranks, as many of them as there are, "1 rank", "2 ranks"
times() { echo "$1 rank$( (($1 == 1)) || echo s)"; }

# scaled NAME KIND ARGUMENT...: bench scaling up to the most ranks
scaled() {
  echo "== $1: bench scaling ${*:2}"
  measured sweeps "$1" "$most" bench scaling "--$2" "${@:3}" || return 0
  local line
  while IFS= read -r line; do verdict note sweeps "$1, $line"; done < <(awk -F': |,$' '
    function value() { gsub(/"/, "", $2); return $2 }
    /"scaling":/ { scaling = value() } /"ranks":/ { ranks = value() } /"precision":/ { precision = value() }
    /"obstacle": "/ { print precision ", ranks " ranks ": not measured: " value() }
    /"ms_per_iteration":/ { ms = value() } /"gcells_per_second":/ { rate = value() }
    /"efficiency":/ { efficiency = value() }
    /"ms_of_all_steps":/ && ms != "null" {
      whole = value() == "null" ? "" : sprintf(", all steps %.1f ms", $2)
      printf "%s, %s, ranks %d: %.4f ms per step, %.1f GCell/s, %.1f %%%s\n", precision, scaling, ranks, ms, rate,
             100 * efficiency, whole
      ms = "null"
    }' "$1.json")
}

measure_sweeps() {
  if ((small)); then
    scaled jacobi-strong strong --grid 48x48x48 --precision both
    scaled plane-weak weak --grid 96x96 --steps 100 --check-every 20
    return
  fi
  scaled jacobi-512-strong strong --grid 512x512x512 --precision both
  scaled plane-4096-strong strong --grid 4096x4096 --steps 1000 --check-every 100
  ((!quick)) || return 0
  scaled jacobi-1024-strong strong --grid 1024x1024x1024 --precision both
  scaled jacobi-1024-weak weak --grid 1024x1024x1024
  scaled diffusion-16384-strong strong --grid 16384x16384 --equation diffusion --boundary periodic --precision float64
  scaled plane-20480-strong strong --grid 20480x20480 --steps 1000 --check-every 100
}

# solved EDGE strong|weak CONDUCTIVITY: bench solve on each number of ranks, of EDGE³ points or as many a rank, which
# then are joined along z in a cube that stays as large
solved() {
  local edge=$1 n depth name row cycles=() ms=() lacking=0
  for n in $RANKS; do
    depth=$([[ $2 == weak ]] && echo $((edge * n)) || echo "$edge")
    name=solve-$edge-$2-$3-$n
    echo "== $name: bench solve on $(times "$n"), ${edge}x${edge}x$depth, $3 conductivity"
    if ! measured solve "$name" "$n" bench solve --method multigrid --grid "${edge}x${edge}x$depth" --conductivity "$3"; then
      cycles+=(-) ms+=(-) lacking=1
      continue
    fi
    row=$(awk -F': |,$' '/"tolerance"/ { t = $2 } t == 1e-8 && /"converged": true/ { ok = 1 } t == 1e-8 && /"cycles"/ { c = $2 }
      t == 1e-8 && /"ms"/ { printf "%d %d %.2f", ok, c, $2 }' "$name.json")
    cycles+=("$(cut -d' ' -f2 <<<"$row")") ms+=("$(cut -d' ' -f3 <<<"$row")")
    [[ $row == 1\ * ]] || verdict FAILED solve "$name does not reach 1e-8"
  done
  name="$edge³$([[ $2 == strong ]] || echo ' per rank'), $3"
  verdict note solve "$name, ranks $RANKS: ${ms[*]} ms, cycles ${cycles[*]}"
  # Grids of different numbers of points need not take the same cycles.
  [[ $2 == strong ]] || return 0
  if ! printf '%s\n' "${cycles[@]}" | awk '/[0-9]/ { if (!n++ || $1 < low) low = $1; if ($1 > high) high = $1 }
    END { exit high - low > 1 }'; then
    verdict FAILED solve "$name: cycles ${cycles[*]} differ by more than one"
  elif ((!lacking)); then
    verdict ok solve "$name: cycles ${cycles[*]} on ranks $RANKS, within one"
  fi
}

measure_solve() {
  if ((small)); then
    solved 17 strong constant
    solved 12 weak smooth
    return
  fi
  solved 512 strong constant
  solved 512 strong smooth
  ((!quick)) || return 0
  solved 1024 strong constant
  solved 1024 weak constant
  if [[ ${LONG:-0} == 1 ]]; then
    solved 1024 strong smooth
    solved 1024 weak smooth
  else
    solved 512 weak smooth
  fi
}

# A case for each method, in 3D with several kinds of faces and a source. Further arguments are lines of [method].
case_of() {
  local points="[160, 144, 288]" kind=poisson
  ((!small)) || points="[24, 20, 40]"
  [[ $1 != ftcs ]] || kind=diffusion
  cat <<END
title = "$1 on ranks"
[grid]
points = $points
lower = [0.0, 0.0, 0.0]
upper = [1.0, 0.9, 1.8]
precision = "float64"
[equation]
type = "$kind"
source = "10*sin(3*x)*cos(2*y)*z"
[boundary]
all = { type = "dirichlet", value = 0.0 }
x_upper = { type = "neumann", value = 0.5 }
z_lower = { type = "dirichlet", value = "sin(pi*x)*y" }
[initial]
value = "x*y + z"
[method]
name = "$1"
$(printf '%s\n' "${@:2}")
[output]
picture = false
END
}
# run_on RANKS ARGUMENT...: a run, whose complaints are in run.txt
run_on() { on_ranks "$1" run "${@:2}" "${device[@]}" --quiet >run.txt 2>&1; }
# why CODE: of the last run
why() { (($1 == 124)) && echo "the time limit was reached" || echo "exit code $1 $(first_word run.txt)"; }
newest() { find "$1" -maxdepth 1 -name 'u_*.vtkhdf' | sort | tail -n 1; }

measure_ranks() {
  local method numbers=$field_ranks n said code accepted steps=$((small ? 43 : 203))
  case_of jacobi "iterations = $steps" >jacobi.toml
  case_of ftcs "steps = $steps" 'time_step = "stable"' >ftcs.toml
  case_of multigrid 'tolerance = 1e-10' >multigrid.toml
  for method in jacobi ftcs multigrid; do
    accepted=$([[ $method == multigrid ]] && echo 1e-8 || echo 0)
    for n in $numbers; do
      code=0
      run_on "$n" "$method.toml" --output "$method-$n" || code=$?
      if ((code)); then
        verdict FAILED ranks "$method on $(times "$n"): $(why $code)"
      elif ((n > 1)); then
        said=$(within "$program" compare "$(newest "$method-1")" "$(newest "$method-$n")" --tolerance "$accepted" 2>&1) || code=$?
        echo "== $method, 1 and $n ranks"$'\n'"$said" >>compare.txt
        if ((code)) || { [[ $accepted == 0 ]] && ! grep -q identical <<<"$said"; }; then
          verdict FAILED ranks "$method: fields of 1 and $n ranks differ (compare.txt)"
        fi
      fi
    done
    grep -q "^FAILED *ranks *$method" verdicts ||
      verdict ok ranks "$method: fields of $numbers ranks $([[ $accepted == 0 ]] && echo have the same bits || echo "differ by at most $accepted")"
    rm -r "$method"-[0-9]* 2>/dev/null || true
  done
}

measure_checkpoint() {
  local code=0 said file
  case_of jacobi 'iterations = 400' >resumed.toml
  run_on "$most" resumed.toml --output whole --set checkpoint.every=100 --set checkpoint.keep=9 || code=$?
  file=whole/u_000200.vtkhdf
  if ((code)) || [[ ! -f $file ]]; then
    verdict FAILED checkpoint "$(times "$most") wrote no checkpoint: $(why $code)"
    return
  fi
  run_on 1 resumed.toml --output resumed --resume "$file" || code=$?
  said=$(within "$program" compare whole/u_000400.vtkhdf resumed/u_000400.vtkhdf 2>&1) || code=$?
  echo "== $(times "$most"), and one from iteration 200"$'\n'"$said" >>compare.txt
  if ((code == 0)) && grep -q identical <<<"$said"; then
    verdict ok checkpoint "by $(times "$most") at work, resumed by one: the same bits"
    rm -rf whole resumed
  else
    verdict FAILED checkpoint "a run that one rank resumes gives another field ($(why $code), compare.txt)"
  fi
}

# some_rank_runs: one of the ranks whose numbers are in pid-*
some_rank_runs() {
  local pid
  for pid in $(cat pid-*); do
    [[ $(ps -o stat= -p "$pid" 2>/dev/null) =~ ^(Z|$) ]] || return 0
  done
  return 1
}
measure_kill() {
  local n=$((most > 1 ? most : 2)) tenths=0 code=0 rank left began
  left=$((time_limit - SECONDS))
  if ((left <= 0)); then
    verdict FAILED kill "the time limit was reached"
    return
  fi
  case_of jacobi 'iterations = 100000000' 'check_every = 100' >endless.toml
  # Each rank leaves its number and becomes the program. It ends by itself, even if this script ends.
  # shellcheck disable=SC2016  # for the ranks' shells
  timeout $((left < 300 ? left : 300)) "${mpirun[@]}" -n "$n" bash -c 'echo $$ >"pid-${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}"; exec "$@"' - \
    "$program" run endless.toml --output killed --quiet "${device[@]}" >kill.txt 2>&1 &
  job=$!
  until grep -q '^100,' killed/residuals.csv 2>/dev/null || ((++tenths > 1200)) || ! kill -0 $job 2>/dev/null; do
    sleep 0.1
  done
  rank=$((n - 1))
  if ! grep -q '^100,' killed/residuals.csv 2>/dev/null || [[ ! -s pid-$rank ]]; then
    verdict FAILED kill "the run on $n ranks does not start (kill.txt)"
  else
    began=$SECONDS
    kill -9 "$(cat "pid-$rank")"
    for ((tenths = 0; tenths < 300; ++tenths)); do
      kill -0 $job 2>/dev/null || some_rank_runs || break
      sleep 0.1
    done
    if kill -0 $job 2>/dev/null; then
      verdict FAILED kill "30 s after a rank was killed the job still runs"
    else
      wait $job || code=$?
      if ((code == 0)); then
        verdict FAILED kill "the job ended with exit code 0, although rank $rank was killed"
      elif some_rank_runs; then
        verdict FAILED kill "a rank still runs after rank $rank was killed"
      else
        verdict ok kill "rank $rank of $n killed: ended in $((SECONDS - began)) s, exit code $code"
      fi
    fi
  fi
  end_killed
}
# end_killed: ends the job of the part kill, if there is one
end_killed() {
  local pid
  [[ -z ${job:-} ]] || kill "$job" 2>/dev/null || true
  for pid in $(cat pid-* 2>/dev/null); do
    [[ $(ps -o args= -p "$pid" 2>/dev/null) != *killed* ]] || kill -9 "$pid" 2>/dev/null || true
  done
  rm -rf killed pid-*
  job=
}

{
  "$program" --version
  date --iso-8601
  nvidia-smi -L 2>/dev/null || true
  echo "ranks $RANKS$( ((!small)) || echo ', small grids')$( ((!quick)) || echo ', quick')"
} >machine.txt
measure_all() {
  local part began job
  trap end_killed EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  cat machine.txt
  for part in "${parts[@]}"; do
    echo "==== $part"
    began=$SECONDS
    "measure_$part"
    verdict note "$part" "took $((SECONDS - began)) s"
  done
}
trap 'exit 130' INT
measure_all 2>&1 | tee -i measured.txt
broken=$(grep -c '^FAILED' verdicts) || true
{
  echo
  cat verdicts
  echo "$(grep -c '^ok' verdicts || true) hold, $broken fail, $(grep -c '^missing' verdicts || true) not measured; $SECONDS s"
} | tee summary.txt
rm -f verdicts
exit $((broken > 0))
