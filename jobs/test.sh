#!/usr/bin/env bash
# test.sh [CMAKE_ARGUMENT...]
#
# Installs missing packages, builds isotherm with its tests, and runs them. Tests of the CUDA backend
# are built if there is nvcc, and skipped if there is no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
source jobs/build.sh

jobs/install-packages.sh build test
preset=cpu device_code=()
if has_nvcc; then
  preset=cuda
  device_code_options
fi
configure_and_build $preset all ${device_code[@]+"${device_code[@]}"} "$@"
left_out=()
if [[ $preset == cuda && ${ISOTHERM_REQUIRE_CUDA:-0} != 1 ]] && ! has_device; then
  echo "There is no GPU here, so tests with the label 'gpu' are left out"
  left_out=(-LE '^gpu$')
fi
# Two processes more than cores, since the tests of the program mostly wait.
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel $(($(nproc) + 2)) \
  ${left_out[@]+"${left_out[@]}"}
