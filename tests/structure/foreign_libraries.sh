#!/usr/bin/env bash
# foreign_libraries.sh PROGRAM: files in the current directory that are named like libraries are not
# loaded. Exit code 77 (skipped) without readelf.
set -euo pipefail
program=$(realpath "$1")
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for library in $(LC_ALL=C readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'); do
  echo "not a library" >"$library"
done
[[ -n $(ls) ]] || { echo "FAILED: no library that $program needs was found"; exit 1; }
[[ -e libmuparser.so.2 ]] || { echo "muParser is no shared library here"; ls; }
"$program" --version
