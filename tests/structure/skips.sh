#!/usr/bin/env bash
# skips.sh SERIAL_TEST MPI_TEST LAUNCHER...
#
# Runs two test programs with the CUDA backend under test, on a machine without visible devices.
# Some of their tests need no backend. The programs must count as skipped (by exit code 77, or by a
# message), not as passed.
set -euo pipefail
serial=$1 mpi=$2
export ISOTHERM_TEST_BACKEND=cuda CUDA_VISIBLE_DEVICES=
unset ISOTHERM_REQUIRE_CUDA

code=0 said=
"$serial" >/dev/null 2>&1 || code=$?
((code == 77)) || { echo "exit code $code instead of 77 from $serial" >&2; exit 1; }
said=$("${@:3}" "$mpi")
[[ $said == *"verdict: skipped"* ]] || { echo "no word of skipping from $mpi" >&2; exit 1; }
echo "tests without their backend count as skipped"
