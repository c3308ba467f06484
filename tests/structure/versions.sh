#!/usr/bin/env bash
# versions.sh SOURCE_DIR
#
# The version that CMake builds is the newest release in CHANGELOG.md and the version to cite, with
# the same date. The conda recipe has the same version.
set -euo pipefail
cd "$1"
built=$(sed -n 's/^project(isotherm VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
released=$(sed -n 's/^## \([0-9].*\)/\1/p' CHANGELOG.md | head -n 1)
cited="$(sed -n 's/^version: //p' CITATION.cff) — $(sed -n 's/^date-released: //p' CITATION.cff)"
if [[ $released != "$built — "* || $released != "$cited" ]]; then
  printf 'FAILED: CMakeLists.txt: %s\nCHANGELOG.md: %s\nCITATION.cff: %s\n' \
    "$built" "$released" "$cited" >&2
  exit 1
fi
packed=$(sed -n 's/^{% set version = "\(.*\)" %}$/\1/p' cmake/packaging/conda/meta.yaml)
[[ $packed == "$built" ]] || { echo "FAILED: cmake/packaging/conda/meta.yaml has version '$packed', not $built" >&2; exit 1; }
echo "$released"
