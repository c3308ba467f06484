# shellcheck shell=bash
# Sourced by quickstart.sh and test.sh: functions to build isotherm.

# Lets a root shell (for example in a container) start MPI programs, and two ranks share one core.
export OMPI_MCA_rmaps_base_oversubscribe=1
if ((EUID == 0)); then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# ccache keeps precompiled headers only if it may overlook the defines and the times in them.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-pch_defines,time_macros}

has_nvcc() { [[ -n ${CUDACXX:-} || -x /usr/local/cuda/bin/nvcc ]] || command -v nvcc >/dev/null; }
has_device() { nvidia-smi -L 2>/dev/null | grep -q GPU; }

# device_code_options [oldest]: sets `device_code` to the CMake arguments that choose how device code is
# compiled. Without a GPU it is only compiled, not run, so it need not be fast. With "oldest", half of it is then
# compiled for the oldest devices that this nvcc knows.
device_code_options() {
  device_code=(-DISOTHERM_QUICK_DEVICE_CODE=OFF)
  has_device && return
  device_code=(-DISOTHERM_QUICK_DEVICE_CODE=ON)
  if [[ ${1:-} == oldest ]]; then
    device_code+=("-DCMAKE_CUDA_ARCHITECTURES=$(oldest_architecture)-real;90" -DISOTHERM_DIVIDED_DEVICE_CODE=ON)
  fi
}

oldest_architecture() {
  "${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}" --list-gpu-arch | sed -n '1s/compute_//p'
}

# configure_and_build PRESET TARGET [CMAKE_ARGUMENT...]: sets `build` to the build directory
configure_and_build() {
  local preset=$1 target=$2
  build=$PWD/build/$preset
  mkdir -p "$build"
  echo "Building in build/$preset (log: build/$preset/configure.log)"
  cmake --preset "$preset" -DISOTHERM_PRECOMPILED_HEADERS=ON -DISOTHERM_UNITED_SOURCES=ON "${@:3}" >"$build/configure.log" 2>&1 \
    || { tail -n 30 "$build/configure.log" >&2; return 1; }
  cmake --build "$build" --target "$target" --parallel "$(nproc)"
}
