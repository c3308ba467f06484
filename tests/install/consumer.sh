#!/usr/bin/env bash
# consumer.sh BUILD_DIR WORK_DIR MPIEXEC [CMAKE_ARGUMENT...]
#
# Installs the build into WORK_DIR, moves the installed tree, then builds a small program against it
# and runs it: what somebody else's project does.
set -euo pipefail
build=$1 work=$2 mpiexec=$3
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
rm -rf "$work"
mkdir -p "$work"

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"  # nothing may depend on where it was installed
if grep -rl -e "$source/" -e "$work/first" "$work/moved" --include='*.cmake'; then
  echo "the files above lead back to the source, build or first installed tree" >&2
  exit 1
fi
bash "$source/tests/structure/hardening.sh" "$work/moved" "$work/moved/bin/isotherm"
"$work/moved/bin/isotherm" --version
test -f "$work/moved/share/isotherm/cases/quickstart.toml"

cmake -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" "${@:4}" >"$work/configure.log" \
  || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"
"$work/build/poisson"
"$mpiexec" -n 2 "$work/build/poisson"
