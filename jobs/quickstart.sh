#!/usr/bin/env bash
# quickstart.sh
#
# Computes a first result on a bare Debian 12 or Ubuntu 24.04 machine: installs missing packages,
# builds isotherm, runs jobs/cases/quickstart.toml on two ranks, and prints where the results are.
set -euo pipefail
cd "$(dirname "$0")/.."
source jobs/build.sh

jobs/install-packages.sh build
preset=cpu options=()
if has_nvcc && has_device; then
  preset=cuda options=(-DISOTHERM_QUICK_DEVICE_CODE=OFF)
elif has_nvcc && [[ -x build/cuda/isotherm && ! -x build/cpu/isotherm ]]; then
  preset=cuda # test.sh has built it already; it runs on the CPU too
elif has_device; then
  echo "This machine has an NVIDIA GPU but no nvcc, so this build uses only the CPU (install the CUDA toolkit to use the GPU)."
fi
configure_and_build $preset isotherm_program ${options[@]+"${options[@]}"}

result=results/quickstart
mpirun -n 2 "$build/isotherm" run jobs/cases/quickstart.toml --output $result --overwrite

cat <<END

Done.
  picture             $PWD/$result/u.png
  ParaView file       $PWD/$result/u.xmf
  case                $PWD/$result/case.toml
  program             $build/isotherm --help
Next, read docs/tutorials/first-case.md, and docs/reference/case-file.md to write your own cases.
END
