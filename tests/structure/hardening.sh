#!/usr/bin/env bash
# hardening.sh DIRECTORY PROGRAM
#
# Checks every program and shared library in DIRECTORY, a build tree or an installed one: their
# library search paths, and their hardening by the loader and the compiler. Exit code 77 (skipped)
# without readelf.
set -euo pipefail
directory=$1 program=$2
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
export LC_ALL=C
bad=0

complain() {
  echo "$1: $2" >&2
  bad=1 # the last command: true
}

# An empty or relative entry depends on the directory where the program is started.
check_path() {
  local path entry
  readelf -dW "$1" | sed -n 's/.*(R\(UN\)\?PATH).*\[\(.*\)\]$/\2/p' >"$work/paths"
  while IFS= read -r path; do
    while IFS= read -r -d : entry; do
      [[ $entry == /* || $entry == "\$ORIGIN" || $entry == "\$ORIGIN"/* ]] ||
        { complain "$1" "takes libraries from '$entry' (in $path)" && break; }
    done <<<"$path:"
  done <"$work/paths"
}

check_loading() {
  readelf -hldW "$1" >"$work/headers"
  grep -q 'Type: *DYN' "$work/headers" || complain "$1" "cannot be loaded anywhere (no PIE)"
  grep -q 'BIND_NOW\|Flags:.*NOW' "$work/headers" || complain "$1" "binds lazily"
  grep -q 'GNU_RELRO' "$work/headers" || complain "$1" "leaves its tables writable"
  grep -q 'GNU_STACK.* RW ' "$work/headers" || complain "$1" "has an executable stack"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# CMake's own test programs are not isotherm's; the installed tree has its own test.
find "$directory" \( -name CMakeFiles -o -path '*/tests/install' -o -name '_deps' \) -prune -o \
  -type f \( -perm -u+x -o -name '*.so*' \) -print >"$work/files"
count=0
while IFS= read -r file; do
  [[ $(head -c 4 "$file") == $'\x7fELF' ]] || continue
  count=$((count + 1))
  check_path "$file"
  check_loading "$file"
done <"$work/files"
((count > 0)) || complain "$directory" "holds no programs"
readelf -W --dyn-syms "$program" >"$work/symbols"
grep -q '__stack_chk_fail' "$work/symbols" || complain "$program" "does not look after its stack"
((bad == 0)) || exit 1
echo "$count programs and libraries are as they should be"
