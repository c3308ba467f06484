#!/usr/bin/env bash
# one_definition.sh SOURCE_DIR ENDING LEFT_OUT COMPILER...
#
# No name has two definitions in one program. A source that includes every header of the product
# with this ENDING (hpp, cuh), except those whose path matches LEFT_OUT, must compile. Classes that
# a source defines for itself must be in an unnamed namespace.
set -euo pipefail
cd "$1"
ending=$2 left_out=$3
shift 3
rooms=(kernels decomposition solver io case app python)

find "${rooms[@]}" -name '*.cpp' -o -name '*.cu' | sort | xargs awk '
  FNR == 1 { unnamed = 0 }
  /^namespace \{/ { unnamed = 1 }
  /^}  \/\/ namespace$/ { unnamed = 0 }
  /^(class|struct|union|enum) [^;:(]*( : [^;(]*)?\{/ && !unnamed {
    printf "%s:%d: %s: not in an unnamed namespace\n", FILENAME, FNR, $0
    found = 1
  }
  END { exit found }'

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
declare -A source_endings=([hpp]=cpp [cuh]=cu)
source=$directory/all_headers.${source_endings[$ending]}
find "${rooms[@]}" -name "*.$ending" | grep -vE "$left_out" | sort | sed 's/.*/#include "&"/' >"$source"
"$@" "$source"
echo "$(wc -l <"$source") headers in one source"
