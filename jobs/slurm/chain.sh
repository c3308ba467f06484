#!/usr/bin/env bash
# chain.sh N SCRIPT.sbatch CASE.toml RESULT_DIRECTORY [OPTION of isotherm run]...
#
# For centres where no job may go back to the queue: submits N jobs, each of which begins when the one
# before has ended well, and goes on from its last checkpoint:
#
#   jobs/slurm/chain.sh 5 jobs/slurm/many-nodes.sbatch CASE.toml RESULT_DIRECTORY
#   SBATCH="--account=A --time=24:00:00" jobs/slurm/chain.sh …
#
# A job whose time is over writes a checkpoint and ends with exit code 0. One that comes after the end finds
# the run at its end and ends at once. Where one fails, is cancelled, does not converge (exit code 3), or is
# killed by SLURM, those behind it go away. The last one ends with exit code 75 where its time was not
# enough, so that nothing that waits for it (afterok) takes the case for done. Either all N jobs are
# submitted or none.
set -euo pipefail
refuse() { echo "chain.sh: $*" >&2; exit 2; }
(($# >= 4)) || refuse "what to submit? chain.sh N SCRIPT.sbatch CASE.toml RESULT_DIRECTORY [OPTION]..."
[[ $1 =~ ^[1-9][0-9]{0,2}$ ]] || refuse "N must be a number of jobs from 1 to 999, not '$1'"
[[ -f $2 ]] || refuse "there is no job script '$2'"
[[ -f $3 ]] || refuse "there is no case file '$3'"
export ISOTHERM_HOME=${ISOTHERM_HOME:-$(cd "$(dirname "$0")" && pwd)}
count=$1 script=$2 jobs=() after=()
for ((number = 1; number <= count; number++)); do
  # What makes it a chain comes last, as of two options SLURM takes the later one.
  # shellcheck disable=SC2086  # several options
  if ! job=$(sbatch ${SBATCH:-} --parsable --no-requeue --kill-on-invalid-dep=yes \
    --export="ALL,CHAIN_JOB=$number/$count" ${after[@]+"${after[@]}"} "$script" "${@:3}"); then
    ((number == 1)) || scancel "${jobs[@]}"
    echo "chain.sh: sbatch refuses job $number of $count; none is left in the queue" >&2
    exit 1
  fi
  job=${job%%;*}
  jobs+=("$job")
  echo "job $job: $number of $count${after[0]:+, after job ${jobs[-2]:-}}"
  after=(--dependency="afterok:$job")
done
