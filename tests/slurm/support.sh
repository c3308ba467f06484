# shellcheck shell=bash
# Sourced by the tests in this folder, which are called with PROGRAM SOURCE_DIR.
#
# A test works in its own folder, $work, with its own SLURM after start_slurm. Exit code 77
# (skipped) without root or SLURM.
export ISOTHERM=$1 ISOTHERM_HOME=$2 LAUNCHER=${LAUNCHER:-srun}
for tool in slurmctld slurmd munged srun; do
  if ((EUID != 0)) || ! command -v $tool >/dev/null; then
    echo "skipped: needs root and the packages slurmctld slurmd slurm-client munge"
    exit 77
  fi
done
export MPIRUN_PLACEMENT=  # all tests share few cores

# start_slurm [FUNCTION]: calls the function in $work first, which may make the hosts of $NODES
start_slurm() {
  work=$(mktemp -d)
  chmod 755 "$work"
  trap 'bash "$ISOTHERM_HOME/tests/slurm/cluster.sh" down "$work/slurm"; rm -rf "$work"' EXIT
  if (($#)); then
    "$1"
    export ON_NODE=$work/agent
  fi
  bash "$ISOTHERM_HOME/tests/slurm/cluster.sh" up "$work/slurm" >"$work/environment" || exit
  source "$work/environment"
  cd "$work" || exit
}

# side_by_side FUNCTION...: runs each concurrently, in its own shell and its own folder below $work
side_by_side() {
  local scenario failed=0
  local -A shells
  for scenario in "$@"; do
    mkdir "$work/$scenario"
    (cd "$work/$scenario" || exit; "$scenario") &
    shells[$scenario]=$!
  done
  for scenario in "$@"; do
    wait "${shells[$scenario]}" || { echo "FAILED: $scenario" >&2; failed=1; }
  done
  return $failed
}

fail() {
  echo "FAILED: $*" >&2
  tail -n 100 ./*.log "$work"/slurm/slurmctld.log >&2 || true
  exit 1
}
# wait_for WHAT SECONDS COMMAND...: SECONDS must suffice on an otherwise idle machine
wait_for() {
  local what=$1 seconds=$2 tries=0
  until "${@:3}"; do
    ((++tries < seconds * 25)) || fail "no $what within $seconds s"
    sleep 0.2
  done
}
