#!/usr/bin/env bash
# test.sh [CMAKE_ARGUMENT...]
#
# Installs what is missing, builds isotherm with its tests, and runs them. Tests of the CUDA backend
# are built where there is nvcc, and skipped where there is no device.
set -euo pipefail
cd "$(dirname "$0")/.."
source jobs/build.sh

jobs/install-packages.sh build test
preset=cpu
if has_nvcc; then
  preset=cuda
fi
configure_and_build $preset all "$@"
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(nproc)"
