#!/usr/bin/env bash
# install-packages.sh [SET...]     SET: build (default) test reader lint slurm python documents cache
#
# Installs the Debian 12 or Ubuntu 24.04 packages that isotherm needs and this machine lacks. If none
# is missing, it does nothing and needs no root rights.
set -euo pipefail

declare -A packages=(
  [build]="g++ cmake ninja-build git ca-certificates openmpi-bin libopenmpi-dev libhdf5-dev
           libcairo2-dev libfontconfig-dev fontconfig fonts-dejavu-core libpng-dev zlib1g-dev libcli11-dev
           libtomlplusplus-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libmuparser-dev libeigen3-dev"
  [test]="libgtest-dev zsh fish"
  [reader]="python3-paraview"
  [lint]="clang-format clang-tidy libomp-dev shellcheck codespell"
  [python]="python3-dev python3-venv python3-numpy python3-h5py python3-xarray python3-pytest
            python3-mpi4py python3-matplotlib python3-dask python3-h5netcdf"
  [documents]="mkdocs mkdocs-material python3-pymdownx python3-pygments libjs-katex"
  [cache]="ccache"
  [slurm]="slurmctld slurmd slurm-client munge"
)

wanted=()
for set in "${@:-build}"; do
  [[ -n ${packages[$set]:-} ]] || { echo "install-packages.sh: there is no set '$set' (valid sets: ${!packages[*]})" >&2; exit 2; }
  read -r -d '' -a names <<<"${packages[$set]}" || true
  wanted+=("${names[@]}")
done

if ! command -v apt-get >/dev/null; then
  echo "This machine has no apt-get, so no packages are installed. isotherm needs the equivalents" \
       "of: ${wanted[*]}" >&2
  exit 0
fi
missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "Installing packages needs root rights or sudo. Install these, then run this again: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "Installing ${#missing[@]} packages: ${missing[*]}"
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get -qq -y --no-install-recommends install "${missing[@]}" >/dev/null
