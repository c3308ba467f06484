#!/usr/bin/env bash
# chain.sh N SCRIPT.sbatch CASE.toml RESULT_DIRECTORY [OPTION of isotherm run]...
#
# For centres that do not allow jobs to be requeued: submits N jobs. Each starts when the previous one
# has succeeded, and resumes from its last checkpoint:
#
#   jobs/slurm/chain.sh 5 jobs/slurm/many-nodes.sbatch CASE.toml RESULT_DIRECTORY
#   SBATCH="--account=A --time=24:00:00" jobs/slurm/chain.sh …
#
# A job that reaches its time limit writes a checkpoint and ends with exit code 0. Jobs after the end of
# the run end immediately. If a job fails, is cancelled, does not converge (exit code 3), or is killed by
# SLURM, the later ones are removed from the queue. If the last job reaches its time limit, it ends with
# exit code 75, so that jobs that depend on it (afterok) do not start. Either all N jobs are submitted or
# none.
set -euo pipefail
refuse() { echo "chain.sh: $*" >&2; exit 2; }
(($# >= 4)) || refuse "arguments are missing (usage: chain.sh N SCRIPT.sbatch CASE.toml RESULT_DIRECTORY [OPTION]...)"
[[ $1 =~ ^[1-9][0-9]{0,2}$ ]] || refuse "N must be a number of jobs from 1 to 999, not '$1'"
[[ -f $2 ]] || refuse "there is no job script '$2'"
[[ -f $3 ]] || refuse "there is no case file '$3'"
export ISOTHERM_HOME=${ISOTHERM_HOME:-$(cd "$(dirname "$0")" && pwd)}
count=$1 script=$2 jobs=() after=()
for ((number = 1; number <= count; number++)); do
  # The dependency comes last, since SLURM uses the last of several equal options.
  # shellcheck disable=SC2086  # several options
  if ! job=$(sbatch ${SBATCH:-} --parsable --no-requeue --kill-on-invalid-dep=yes \
    --export="ALL,CHAIN_JOB=$number/$count" ${after[@]+"${after[@]}"} "$script" "${@:3}"); then
    ((number == 1)) || scancel "${jobs[@]}"
    echo "chain.sh: sbatch rejected job $number of $count; all jobs of the chain were cancelled" >&2
    exit 1
  fi
  job=${job%%;*}
  jobs+=("$job")
  echo "job $job: $number of $count${after[0]:+, after job ${jobs[-2]:-}}"
  after=(--dependency="afterok:$job")
done
