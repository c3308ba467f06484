#!/usr/bin/env bash
# where_is.sh SOURCE_DIR [PAGE]
#
# The table "Where is …" of docs/developer/architecture.md is right: a function or class that a row names is in one
# of the row's files, and each of these files has one of the names. A file without a folder is in that of
# the file before it.
set -euo pipefail
cd "$1"
page=${2:-docs/developer/architecture.md}
bad=0 rows=0
fail() { echo "FAILED: $page: \"${what# }\": $*" >&2; bad=1; }

# has FILE NAME: the words of NAME (Class::function) are in the file
has() {
  local word
  for word in ${2//::/ }; do grep -qw -e "$word" "$1" || return 1; done
}

while IFS='|' read -r _ what where rest; do
  rows=$((rows + 1)) files=() names=() folder=.
  while read -r token; do
    if [[ $token != *.?pp && $token != *.cu* ]]; then names+=("$token"); continue; fi
    [[ $token == */* ]] || token=$folder/$token
    folder=${token%/*}
    files+=("$token")
  done < <(grep -o '`[^`]*`' <<<"$where $rest" | tr -d '\`')
  ((${#files[@]})) || fail "no file"
  ((${#names[@]})) || continue
  for name in "${names[@]}"; do
    found=0
    for file in "${files[@]}"; do ! has "$file" "$name" || found=1; done
    ((found)) || fail "$name is not in ${files[*]}"
  done
  for file in "${files[@]}"; do
    found=0
    for name in "${names[@]}"; do ! has "$file" "$name" || found=1; done
    ((found)) || fail "$file has none of ${names[*]}"
  done
done < <(sed -n '/^## Where is/,$p' "$page" | grep '^| ' | tail -n +3)
((rows > 0)) || { echo "FAILED: $page has no rows" >&2; exit 1; }
echo "$rows rows"
exit $bad
