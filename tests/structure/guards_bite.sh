#!/usr/bin/env bash
# guards_bite.sh SOURCE_DIR
#
# where_is.sh, folder_sizes.sh and plain_language.sh pass a small tree, and refuse it with each fault that
# they are there to find.
set -euo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{kernels/core,decomposition,solver,io,case,app/run,python,jobs,tests,docs/{developer,explanation},cmake,guards}
cp -r "$1"/tests/structure/{ratchet.sh,where_is.sh,folder_sizes.sh,language} "$tree/guards"
cd "$tree/guards"
: >language/counts.txt
: >large_folders.txt
for _ in {1..4}; do printf 'Ten words are in this line, which has no end\n'; done >"$tree/README.md"
cp "$tree/README.md" "$tree/docs/explanation/solvers.md"

passes() { bash "$@" "$tree" >found 2>&1 || { echo "FAILED: $* refuses:" >&2; cat found >&2; exit 1; }; }
# refuses WORD SCRIPT...: and names WORD
refuses() {
  if bash "${@:2}" "$tree" >found 2>&1 || ! grep -qF -e "$1" found; then
    echo "FAILED: ${*:2} passes, or does not name $1:" >&2
    cat found >&2
    exit 1
  fi
}

page=$tree/docs/developer/architecture.md
# row FILES NAMES: the only row of the table
row() { printf '%s\n' '# Of' '## Where is …' '' '| line | file | function |' '| --- | --- | --- |' "| adds | $1 | $2 |" >"$page"; }
printf 'class Sum {\n  void add(int);\n};\n' >"$tree/kernels/core/sum.hpp"
printf 'void Sum::add(int) {}\n' >"$tree/kernels/core/sum.cpp"
row '`kernels/core/sum.hpp`, `sum.cpp`' '`Sum::add`, by `add`'
passes where_is.sh
row '`kernels/core/sum.hpp`' '`Sum::add`, by `plus` in `kernels/core/sum.cpp`'
refuses plus where_is.sh
row '`kernels/core/sum.hpp`, `README.cpp`' '`Sum::add`'
refuses README.cpp where_is.sh
row 'the same' '`Sum::add`'
refuses 'no file' where_is.sh
row '`kernels/core/sum.hpp`' '`Sum`'

touch "$tree"/app/run/{1..20}
passes folder_sizes.sh
touch "$tree"/app/run/21
refuses app/run folder_sizes.sh
echo '22 app/run' >large_folders.txt
ISOTHERM_LOWER_RATCHETS=1 passes folder_sizes.sh
[[ $(<large_folders.txt) == '21 app/run' ]] || { echo "FAILED: the list was not lowered" >&2; exit 1; }
touch "$tree"/app/run/22
refuses app/run folder_sizes.sh
rm "$tree"/app/run/{21,22}
ISOTHERM_LOWER_RATCHETS=1 passes folder_sizes.sh
[[ ! -s large_folders.txt ]] || { echo "FAILED: the list was not emptied" >&2; exit 1; }

passes language/plain_language.sh
printf '// The cycle goes %s.\n' on >"$tree/solver/a.hpp"
refuses phrases:solver language/plain_language.sh
rm "$tree/solver/a.hpp"
echo 'one more' >>"$tree/docs/explanation/solvers.md"
refuses sentences:docs/explanation/solvers.md language/plain_language.sh
sed -i 's/end$/end./' "$tree/docs/explanation/solvers.md"
passes language/plain_language.sh
{ cat "$tree/README.md"; echo 'one more'; } >"$tree/docs/explanation/why.md"
refuses sentences:docs/explanation/why.md language/plain_language.sh
rm "$tree/docs/explanation/why.md"
if command -v codespell >/dev/null; then
  printf '// The rec%s.\n' ieves >"$tree/io/a.hpp"
  refuses "rec"ieves language/plain_language.sh
  rm "$tree/io/a.hpp"
fi
if command -v git >/dev/null; then
  commit() { git -C "$tree" -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$1"; }
  git -C "$tree" init -q -b main
  commit "$(printf 'x%.0s' {1..73})"
  git -C "$tree" switch -q -c branch
  commit "$(printf 'x%.0s' {1..72})"
  passes language/plain_language.sh
  commit "$(printf 'y%.0s' {1..73})"
  refuses yyy language/plain_language.sh
fi
