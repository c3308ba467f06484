#!/usr/bin/env bash
# test.sh [CMAKE_ARGUMENT...]
#
# Installs what is missing, builds isotherm with its tests, and runs them. Tests of the CUDA backend
# are built where there is nvcc, and skipped where there is no device.
set -euo pipefail
cd "$(dirname "$0")/.."
source jobs/build.sh

jobs/install-packages.sh build test
preset=cpu options=()
if has_nvcc; then
  preset=cuda
  # Where no device runs it, device code is compiled to see that it can be, and need not be fast.
  options=(-DISOTHERM_QUICK_DEVICE_CODE="$(has_device && echo OFF || echo ON)")
fi
configure_and_build $preset all ${options[@]+"${options[@]}"} "$@"
# One more than there are cores: some tests mostly wait.
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel $(($(nproc) + 1))
