#!/usr/bin/env bash
# scaling.sh DIRECTORY [OPTION of isotherm bench scaling]...
#
# Submits scaling.sbatch for 1, 2, 4 and 8 nodes, three times each. Then prints the command that makes a
# table of the files in DIRECTORY:
#
#   jobs/slurm/scaling.sh measured --grid 1024x1024x1024 --precision float64
#   NODES="1 2 4 8 16 32" REPETITIONS=5 SBATCH="--account=A --partition=P" jobs/slurm/scaling.sh …
#
# Why a loop, and not one array over the numbers of nodes: the elements of an array are copies of one
# request, each with the same --nodes, and an element cannot ask for others. One job of the most
# nodes would measure all smaller numbers of ranks too (every run does), but keep the other nodes
# idle, and waits the longest. So each number of nodes is a submission, and the array is what it can
# be: repetitions, on nodes that SLURM may choose anew. %1: one after the other, so that they do not
# share a network.
set -euo pipefail
[[ $# -ge 1 && $1 != -* ]] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
directory=$1
export ISOTHERM_HOME=${ISOTHERM_HOME:-$here}
mkdir -p "$directory"
for nodes in ${NODES:-1 2 4 8}; do
  # shellcheck disable=SC2086  # several options
  job=$(sbatch --parsable --nodes="$nodes" --array="1-${REPETITIONS:-3}%1" \
    --output="$directory/nodes-$nodes-job-%A-%a.log" ${SBATCH:-} \
    "$here/scaling.sbatch" "$directory" "${@:2}")
  echo "job ${job%%;*}: $nodes nodes, ${REPETITIONS:-3} times"
done
echo "When the jobs are done, run $here/scaling_table.py $directory"
