#!/usr/bin/env bash
# resume_test.sh PROGRAM SOURCE_DIR
#
# The job script under a real SLURM: a job is told that its time is nearly over, writes a
# checkpoint, goes back to the queue, resumes and ends with the field of an uninterrupted run.
# Exit code 77 (skipped) without root or SLURM.
set -euo pipefail
program=$1 source=$2
missing=0
for tool in slurmctld slurmd munged srun; do
  command -v $tool >/dev/null || missing=1
done
if ((EUID != 0 || missing)); then
  echo "skipped: needs root and the packages slurmctld slurmd slurm-client munge"
  exit 77
fi
work=$(mktemp -d)
chmod 755 "$work"
trap 'bash "$source/tests/slurm/one_machine.sh" down "$work/slurm"; rm -rf "$work"' EXIT
eval "$(bash "$source/tests/slurm/one_machine.sh" up "$work/slurm")"
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  cat "$work"/*.log "$work"/slurm/slurmctld.log >&2 || true
  exit 1
}
# wait_for WHAT SECONDS COMMAND...
wait_for() {
  local what=$1 seconds=$2 tries=0
  until "${@:3}"; do
    ((++tries < seconds * 5)) || fail "no $what within $seconds s"
    sleep 0.2
  done
}
state_is() { [[ $(scontrol show job "$job" | grep -o 'JobState=[A-Z]*') == "JobState=$1" ]]; }
logged() { grep -q -e "$1" "$work"/*-"$job".log 2>/dev/null; }
has_field() { compgen -G "$work/result/u_*.vtkhdf" >/dev/null; }

# No machine is so fast that the run is over before it is interrupted.
"$program" new diffusion | sed 's/^end_time .*/steps = 1000000000/' >case.toml
options=(--set 'grid.points=[64,64]' --set 'checkpoint.every=500' --device cpu)
export ISOTHERM=$program ISOTHERM_HOME=$source LAUNCHER=${LAUNCHER:-srun}

job=$(sbatch --parsable --gpus-per-node=1 --ntasks-per-node=2 --cpus-per-task=1 --time=10 \
  "$source/jobs/slurm/one-node.sbatch" case.toml result "${options[@]}")
wait_for "checkpoint" 60 has_field
# Near its end a job gets USR1, as the script asks; where another one takes its nodes, TERM.
signal=$([[ $LAUNCHER == mpirun ]] && echo TERM || echo USR1)
scancel --batch --signal="$signal" "$job"
wait_for "return to the queue" 60 logged "back to the queue"
logged "exit code 75" || fail "the interrupted run did not end with exit code 75"
wait_for "requeued job" 60 state_is PENDING
at=$("$program" info result | awk 'END { print $1 }')
limit=$((at + 1234))
sed -i "s/^steps .*/steps = $limit/" case.toml
scontrol update jobid="$job" StartTime=now  # SLURM would hold it back for two minutes
wait_for "end of the resumed job" 120 state_is COMPLETED
logged "start 2: case.toml .* --resume" || fail "the second start did not resume"

mpirun -n 1 "$program" run case.toml "${options[@]}" --output whole --quiet
last=$(printf 'u_%06d.vtkhdf' $limit)
"$program" compare "result/$last" "whole/$last" --tolerance 0 \
  || fail "the resumed field differs from the uninterrupted one"
echo "interrupted, requeued and resumed: the same field"
