#!/usr/bin/env bash
# file_names_test.sh PROGRAM SOURCE_DIR: names of sources are distinct: no two in a folder consist
# of the same words in another order. And certain code exists in one file only.
source "$(dirname "$0")/../support.sh"
cd "$source_dir"

alike=$(find kernels decomposition solver io case app python -name '*.cpp' | awk -F/ '
  function in_order(name,   word, n, i, j, swap, text) {
    n = split(name, word, "_")
    for (i = 2; i <= n; ++i) {
      for (j = i; j > 1 && word[j] < word[j - 1]; --j) {
        swap = word[j]; word[j] = word[j - 1]; word[j - 1] = swap
      }
    }
    for (i = 1; i <= n; ++i) text = text " " word[i]
    return text
  }
  {
    name = $NF; sub(/\.cpp$/, "", name)
    folder = $0; sub(/[^\/]*$/, "", folder)
    key = folder in_order(name)
    if (key in seen) print folder name " and " seen[key]
    seen[key] = name
  }')
[[ -z $alike ]] || fail "names that differ in the order of their words only: $alike"

# in_one_place PATTERN: exactly one source matches
in_one_place() {
  local files
  files=$(grep -rlE --include='*.cpp' --include='*.hpp' "$1" kernels decomposition solver io case app python)
  (($(wc -l <<<"$files") == 1)) || fail "$1 stands in several places:"$'\n'"$files"
}
in_one_place "gethostname\("
in_one_place 'Precision::float32 [?] "float32"'
in_one_place 'has_relative_path'
in_one_place '"[.]vtkhdf"'
echo "file names: all as they should be"
