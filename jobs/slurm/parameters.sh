#!/usr/bin/env bash
# parameters.sh CASE.toml TABLE.csv RESULT_DIRECTORY [OPTION of isotherm run]...
#
# Checks the table, and submits parameters.sbatch for all of its rows:
#
#   jobs/slurm/parameters.sh CASE.toml TABLE.csv RESULT_DIRECTORY
#   SBATCH="--partition=P --array=1-100%8" jobs/slurm/parameters.sh …      some rows, at most eight at a time
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/table.sh"
refuse() { echo "parameters.sh: $*" >&2; exit 2; }
(($# >= 3)) || refuse "arguments are missing (usage: parameters.sh CASE.toml TABLE.csv RESULT_DIRECTORY [OPTION]...)"
[[ -f $1 ]] || refuse "there is no case file '$1'"
read_table "$2" || exit
export ISOTHERM_HOME=${ISOTHERM_HOME:-$here}
# shellcheck disable=SC2086  # several options
job=$(sbatch --parsable --array="1-${#table_rows[@]}" ${SBATCH:-} "$here/parameters.sbatch" "$@")
echo "job ${job%%;*}: $2 has ${#table_rows[@]} rows; row 1 writes to $3/row-0001"
