#!/usr/bin/env bash
# plain_language.sh SOURCE_DIR
#
# Keeps the language plain. The phrases of phrases.txt, counted for each room, and the sentences of more
# than 40 words, counted for each page, may only become fewer (counts.txt). Subjects of commits that are
# not yet on the main branch have at most 72 characters. codespell finds no slip; it is to ignore the words
# of spelling.txt.
set -euo pipefail
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$1"
main=$(git rev-parse -q --verify origin/main 2>/dev/null || git rev-parse -q --verify main 2>/dev/null || true)
rooms=(kernels decomposition solver io case app python jobs tests docs cmake ./*.md)
bad=0

phrases() {
  local room kinds=(--include={'*.hpp','*.cpp','*.cu','*.cuh','*.py','*.sh','*.md','*.cmake',CMakeLists.txt})
  for room in "${rooms[@]}"; do
    echo "$({ grep -rohiEf <(grep '^[^#]' "$here/phrases.txt") "${kinds[@]}" "$room" || true; } | wc -l)" \
      "phrases:${room#./}"
  done
}

# A heading, an item and an empty line end a sentence, too. A piece of code is one word, tables are left out.
long_sentences() (
  shopt -s nullglob
  awk -v most=40 '
    function end(page,   sentence, word, i, n) {
      gsub(/\*\*/, "", text)
      gsub(/`[^`]*`/, "code", text)
      n = split(text, sentence, /[.!?][")]*( |$)/)
      for (i = 1; i <= n; ++i) if (split(sentence[i], word, " ") > most) ++long[page]
      text = ""
    }
    FNR == 1 { end(page); page = FILENAME; code = 0 }
    /^ *```/ { code = !code; next }
    code || /^ *[|]/ { next }
    /^ *$|^ *[-*] |^ *[0-9]+[.] |^#/ { end(page) }
    { text = text $0 " " }
    END { end(page); for (page in long) print long[page], "sentences:" page }' *.md docs/*.md docs/*/*.md docs/*/*/*.md
)

# Of what has been added, the lines with such phrases.
added() {
  [[ -z $main ]] || git diff -U0 "$main" -- "${rooms[@]}" | grep '^+' \
    | grep -iEf <(grep '^[^#]' "$here/phrases.txt") || true
}

if ! { phrases; long_sentences; } | bash "$here/../ratchet.sh" "$here/counts.txt"; then
  added >&2
  bad=1
fi

if [[ -z $main ]]; then
  echo "no git history with a main branch: the subjects of commits are not checked"
elif long=$(git log --format=%s "$main..HEAD" | grep -E '.{73}'); then
  printf 'FAILED: the subject of a commit has more than 72 characters:\n%s\n' "$long" >&2
  bad=1
fi

if ! command -v codespell >/dev/null; then
  echo "no codespell: the spelling is not checked"
elif ! codespell -I "$here/spelling.txt" -S '*.png,*.svg,spelling.txt' "${rooms[@]}" >&2; then
  echo "FAILED: codespell has found a slip; words that are none go to tests/structure/language/spelling.txt" >&2
  bad=1
fi
exit $bad
