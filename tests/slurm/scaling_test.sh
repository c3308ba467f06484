#!/usr/bin/env bash
# scaling_test.sh PROGRAM SOURCE_DIR
#
# The array job that measures scaling, under a real SLURM: two repetitions, one after the other,
# write a file each, and the table contains both. Exit code 77 (skipped) without root, SLURM or
# python3.
set -euo pipefail
source=$2
source "$source/tests/slurm/support.sh" "$@"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
start_slurm

# If SLURM is too busy to answer, the jobs may still be fine.
all_done() {
  local left
  left=$(squeue --noheader) && [[ -z $left ]]
}

export NODES=1 REPETITIONS=2
export SBATCH="--gpus-per-node=1 --ntasks-per-node=2 --cpus-per-task=1 --time=10"
env -u ISOTHERM_HOME bash "$source/jobs/slurm/scaling.sh" "$work/measured" --device cpu --grid 32x32x32 \
  --precision float32 --strong --steps 8 --repeat 1 >submitted || fail "the jobs are refused"
grep -q ': 1 nodes, 2 times' submitted || fail "it does not say what was submitted"
wait_for "end of the array" 120 all_done
shopt -s nullglob
files=("$work"/measured/nodes-1-job-*.json)
((${#files[@]} == 2)) || fail "${#files[@]} files instead of 2: $(cat "$work"/measured/*.log)"
python3 "$source/jobs/slurm/scaling_table.py" "$work/measured" >table || fail "no table"
for ranks in 1 2; do
  grep -Eq "^\| +$ranks \|( +[-0-9.]+%? \|){5} +2 \|" table || fail "no $ranks ranks in: $(cat table)"
done
cat table
