#!/usr/bin/env bash
# test.sh [CMAKE_ARGUMENT...]
#
# Installs missing packages, builds isotherm with its tests, and runs them. Tests of the CUDA backend
# are built if there is nvcc, and skipped if there is no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
source jobs/build.sh

jobs/install-packages.sh build test
preset=cpu options=()
if has_nvcc; then
  preset=cuda
  # Without a GPU, device code is only compiled, not run, so it need not be fast.
  options=(-DISOTHERM_QUICK_DEVICE_CODE="$(has_device && echo OFF || echo ON)")
fi
configure_and_build $preset all ${options[@]+"${options[@]}"} "$@"
# One process more than cores, since some tests mostly wait.
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel $(($(nproc) + 1))
