#!/usr/bin/env bash
# jobs/measure.sh [DIRECTORY]
#
# Measures the numbers of docs/development/measurements.md on this machine, and writes them as text
# (measured.txt) and as JSON to DIRECTORY (default: measured). It uses a GPU if there is one. The program is
# $ISOTHERM; if unset, the one on the path; otherwise the one that quickstart.sh has built, preferably for
# GPUs.
set -euo pipefail
builds=$(dirname "$0")/../build
built=$builds/cpu/isotherm
[[ ! -x $builds/cuda/isotherm ]] || built=$builds/cuda/isotherm
program=${ISOTHERM:-$(command -v isotherm || echo "$built")}
directory=${1:-measured}
mkdir -p "$directory"

# measure NAME ARGUMENT...: one part of `isotherm bench`
measure() {
  echo "== $1"
  "$program" bench "${@:2}" --json "$directory/$1.json"
}

all() {
  "$program" --version
  date --iso-8601
  if nvidia-smi -L 2>/dev/null; then
    cubes=(1024 512 256) squares=(16384 4096 960)
  else
    cubes=(512 256) squares=(4096 960)
  fi
  measure copy copy
  for n in "${cubes[@]}"; do
    measure "jacobi-$n" sweep --grid "${n}x${n}x$n"
    measure "jacobi-$n-checked" sweep --grid "${n}x${n}x$n" --plan auto --check-every 100
  done
  for n in "${squares[@]}"; do
    measure "diffusion-$n" sweep --grid "${n}x$n" --equation diffusion --boundary periodic
    measure "diffusion-$n-checked" sweep --grid "${n}x$n" --equation diffusion --boundary periodic \
      --plan auto --check-every 100
  done
  measure source-3d sweep --grid 512x512x512 --source --equation diffusion
  measure source-2d sweep --grid 4096x4096 --source --equation diffusion
  measure smooth smooth
  measure gaussians gaussians --precision both
  measure classic classic
}

all 2>&1 | tee "$directory/measured.txt"
