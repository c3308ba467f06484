# shellcheck shell=bash
# Sourced by quickstart.sh and test.sh: functions to build isotherm.

# Lets a root shell (for example in a container) start MPI programs, and two ranks share one core.
export OMPI_MCA_rmaps_base_oversubscribe=1
if ((EUID == 0)); then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

has_nvcc() { [[ -n ${CUDACXX:-} || -x /usr/local/cuda/bin/nvcc ]] || command -v nvcc >/dev/null; }
has_device() { nvidia-smi -L 2>/dev/null | grep -q GPU; }

# configure_and_build PRESET TARGET [CMAKE_ARGUMENT...]: sets `build` to the build directory
configure_and_build() {
  local preset=$1 target=$2
  build=$PWD/build/$preset
  mkdir -p "$build"
  echo "Building in build/$preset (log: build/$preset/configure.log)"
  cmake --preset "$preset" "${@:3}" >"$build/configure.log" 2>&1 \
    || { tail -n 30 "$build/configure.log" >&2; return 1; }
  cmake --build "$build" --target "$target" --parallel "$(nproc)"
}
