#!/usr/bin/env bash
# quickstart.sh
#
# From a bare Debian 12 or Ubuntu 24.04 machine to a first result: installs the packages that are
# missing, builds isotherm, runs jobs/cases/quickstart.toml on two ranks, and says where to look.
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
  echo "There is an NVIDIA device but no nvcc, so this build will use the CPU only."
fi
configure_and_build $preset isotherm_program ${options[@]+"${options[@]}"}

result=results/quickstart
mpirun -n 2 "$build/isotherm" run jobs/cases/quickstart.toml --output $result --overwrite

cat <<END

Done.
  the picture         $PWD/$result/u.png
  for ParaView        $PWD/$result/u.xmf
  what was run        $PWD/$result/case.toml
  the program         $build/isotherm --help
Read on: README.md, then docs/case-file.md for cases of your own.
END
