#!/usr/bin/env bash
# links.sh SOURCE_DIR
#
# Link targets of the pages exist in the source tree, including headings within pages. So do the
# files and folders that pages name with their room, like `kernels/core/box.hpp`. docs/README.md
# links to all of docs/, or docs/reference/case-file.md does. The site's contents (mkdocs.yml) have all pages.
set -euo pipefail
cd "$1"
bad=0 count=0

# A heading as links name it: in lower case, words joined by "-".
anchors() {
  sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}

# has_anchor PAGE ANCHOR
declare -A known=()
has_anchor() {
  [[ -n ${known[$1]:-} ]] || known[$1]=$'\n'$(anchors "$1")$'\n'
  [[ ${known[$1]} == *$'\n'"$2"$'\n'* ]]
}

for page in *.md docs/*.md docs/*/*.md docs/*/*/*.md; do
  folder=.
  [[ $page != */* ]] || folder=${page%/*}
  while IFS= read -r link; do
    count=$((count + 1))
    file=${link%%#*} target=$page
    [[ -z $file ]] || target=$folder/$file
    if [[ ! -e $target ]] || { [[ $link == *#* ]] && ! has_anchor "$target" "${link#*#}"; }; then
      echo "FAILED: $page: $link" >&2
      bad=1
    fi
  done < <(grep -o '](\(#\|[^)#: ]\)[^) ]*)' "$page" | sed 's/^](//; s/)$//' | grep -v ://)
done
rooms='kernels|decomposition|solver|io|case|app|python|jobs|tests|docs|cmake'
while IFS=: read -r page name; do
  compgen -G "${name//<*>/*}" >/dev/null || { echo "FAILED: $page: $name" >&2; bad=1; }
done < <(grep -oHE "\`($rooms)/[^\` ]*\`" README.md CONTRIBUTING.md docs/*.md docs/*/*.md docs/*/*/*.md | tr -d '\`' | sed 's/….*//')
for file in docs/*.md docs/*/*.md docs/*/*/*.md docs/developer/*; do
  index=docs/README.md
  [[ $file != docs/reference/case-file/* ]] || index=docs/reference/case-file.md
  [[ $file == docs/README.md ]] || grep -q "](${file#"${index%/*}/"}[)#]" $index ||
    { echo "FAILED: $index has no link to $file" >&2; bad=1; }
  [[ $file != *.md ]] || grep -qE " ${file#docs/}$" mkdocs.yml ||
    { echo "FAILED: the contents in mkdocs.yml lack $file" >&2; bad=1; }
done
grep -qF '](docs/README.md)' README.md || { echo "FAILED: README.md has no link to docs/README.md" >&2; bad=1; }
((count > 20)) || { echo "FAILED: only $count links found" >&2; exit 1; }
exit $bad
