#!/usr/bin/env bash
# site_test.sh SOURCE_DIR SITE_DIR
#
# The documents build as a site without a warning. docs/site/hooks.py checks its links, pictures and anchors, and
# equations.js the equations, if there is node.
# Then a copy with faults must be refused: a link that leads nowhere, and a heading that does not exist.
set -euo pipefail
cd "$1"
mkdocs=(/usr/bin/python3 -B -m mkdocs)
"${mkdocs[@]}" --version >/dev/null 2>&1 && /usr/bin/python3 -B -c 'import pymdownx, mkdocs.utils; mkdocs.utils.get_theme_dir("material")' 2>/dev/null \
  || { echo "skipped: no MkDocs with its material theme (jobs/install-packages.sh documents)"; exit 77; }
"${mkdocs[@]}" build --quiet --site-dir "$2"
pages=$(find "$2" -name '*.html' | wc -l)
((pages > 50)) || { echo "FAILED: only $pages pages" >&2; exit 1; }
katex=/usr/share/javascript/katex/katex.js
if command -v node >/dev/null && [[ -e $katex ]]; then
  node tests/documents/equations.js $katex "$2"
else
  echo "no node or no KaTeX: the equations are not checked"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/docs"
sed '/^nav:/,$d' mkdocs.yml >"$work/mkdocs.yml"
cp -r docs/site "$work/docs"
for file in CHANGELOG.md CONTRIBUTING.md; do echo '# Empty' >"$work/$file"; done
printf '# Start\n\n[a page](nowhere.md) and [a heading](#nothing)\n' >"$work/docs/README.md"
if (cd "$work" && "${mkdocs[@]}" build) >"$work/log" 2>&1 ||
  ! grep -q nowhere.md "$work/log" || ! grep -q '#nothing' "$work/log"; then
  echo "FAILED: a page with two wrong links passes, or the messages do not name them:" >&2
  cat "$work/log" >&2
  exit 1
fi
echo "$pages pages"
