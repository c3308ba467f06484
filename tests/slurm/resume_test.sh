#!/usr/bin/env bash
# resume_test.sh PROGRAM SOURCE_DIR
#
# The job script under a real SLURM: a job is told that its time is nearly over, or another one takes its
# node; it writes a checkpoint, goes back to the queue, resumes and ends with the field of an uninterrupted
# run. One that is cancelled does not go back.
# Exit code 77 (skipped) without root or SLURM.
set -euo pipefail
program=$1 source=$2
source "$source/tests/slurm/support.sh" "$@"
start_slurm

state_is() { [[ $(scontrol show job "$job" | grep -o 'JobState=[A-Z]*') == "JobState=$1" ]]; }
logged() { grep -q -e "$1" "$work"/*-"$job".log 2>/dev/null; }
has_field() { compgen -G "$work/result/u_*.vtkhdf" >/dev/null; }

# No machine is so fast that the run is over before it is interrupted.
"$program" new diffusion | sed 's/^end_time .*/steps = 1000000000/' >case.toml
options=(--set 'grid.points=[64,64]' --set 'checkpoint.every=500' --device cpu)

# Without ISOTHERM_HOME the job asks SLURM where its script was submitted from.
job=$(env -u ISOTHERM_HOME sbatch --parsable --gpus-per-node=1 --ntasks-per-node=2 --cpus-per-task=1 --time=10 \
  "$source/jobs/slurm/one-node.sbatch" case.toml result "${options[@]}")
wait_for "checkpoint" 60 has_field
# Near its end the shell gets USR1, as the script asks; where another job takes the node, tasks of srun TERM.
if [[ $LAUNCHER == srun ]]; then
  sbatch --partition=urgent --exclusive --time=1 --output="$work/urgent.log" --wrap="true" >/dev/null
else
  scancel --batch --signal=USR1 "$job"
fi
wait_for "return to the queue" 60 logged "back to the queue"
logged "exit code 75" || fail "the interrupted run did not end with exit code 75"
wait_for "requeued job" 60 state_is PENDING
at=$("$program" info result | awk 'END { print $1 }')
limit=$((at + 1234))
sed -i "s/^steps .*/steps = $limit/" case.toml
# SLURM would hold it back for two minutes; in the second in which it ended it cannot start again, as
# its credential of that second is revoked.
scontrol update jobid="$job" StartTime=now+2
wait_for "end of the resumed job" 120 state_is COMPLETED
logged "start 2: case.toml" && logged "resumed .*iteration $at" || fail "the second start did not resume"

mpirun -n 1 "$program" run case.toml "${options[@]}" --output whole --quiet
last=$(printf 'u_%06d.vtkhdf' $limit)
"$program" compare "result/$last" "whole/$last" --tolerance 0 \
  || fail "the resumed field differs from the uninterrupted one"
echo "interrupted, requeued and resumed: the same field"

# Who cancels a job wants it to end; also where it has been told before that its time is nearly over.
sed -i "s/^steps .*/steps = 1000000000/" case.toml
job=$(sbatch --parsable --gpus-per-node=1 --ntasks-per-node=2 --cpus-per-task=1 --time=10 \
  "$source/jobs/slurm/one-node.sbatch" case.toml cancelled "${options[@]}")
is_on_its_way() { compgen -G "$work/cancelled/u_*.vtkhdf" >/dev/null; }
wait_for "checkpoint of the second job" 60 is_on_its_way
scancel "$job"
wait_for "end of the cancelled job" 60 state_is CANCELLED
wait_for "idle node" 60 bash -c '[[ $(sinfo -h -p main -o %t) == idle ]]'
state_is CANCELLED || fail "a cancelled job went back to the queue"
! logged "stopped; back to the queue" || fail "a cancelled job was sent back to the queue"
echo "cancelled: it stays so"
