#!/usr/bin/env bash
# promises_test.sh PROGRAM SOURCE_DIR: every test that docs/explanation/reliability.md names for a promise exists.
source "$(dirname "$0")/../support.sh"
names=$(grep -o '`[a-z]*\.[a-z0-9_]*_test`' "$source_dir/docs/explanation/reliability.md" | tr -d '`' | sort -u)
[[ -n $names ]] || fail "docs/explanation/reliability.md names no tests"
for name in $names; do
  [[ -n $(find "$source_dir/tests/${name%%.*}" -name "${name#*.}.*") ]] || fail "there is no test $name"
done
echo "the tests of all promises exist"
