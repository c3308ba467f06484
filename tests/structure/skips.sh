#!/usr/bin/env bash
# skips.sh SERIAL_TEST MPI_TEST LAUNCHER...
#
# Runs two test programs, in each of which some tests need no backend, for the CUDA backend on a
# machine that shows no device: they must count as skipped (exit code 77), not as passed.
set -euo pipefail
serial=$1 mpi=$2
export ISOTHERM_TEST_BACKEND=cuda CUDA_VISIBLE_DEVICES=
unset ISOTHERM_REQUIRE_CUDA

skips() {
  local code=0
  "$@" >/dev/null 2>&1 || code=$?
  ((code == 77)) || { echo "exit code $code instead of 77 from: $*" >&2; exit 1; }
}

skips "$serial"
skips "${@:3}" "$mpi"
echo "tests without their backend count as skipped"
