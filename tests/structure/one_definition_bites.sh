#!/usr/bin/env bash
# one_definition_bites.sh SOURCE_DIR COMPILER...
#
# Runs one_definition.sh on a small valid tree, and then with one violation after the other. Each
# must be refused, with the file named.
set -euo pipefail
rule=$1/tests/structure/one_definition.sh
shift
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{kernels/core/cuda,decomposition/grid,solver/level,io/files,case,app,python}

# in_namespace FILE LINE...
in_namespace() { printf '%s\n' '#pragma once' 'namespace isotherm {' "${@:2}" '}  // namespace isotherm' >"$tree/$1"; }
check() { bash "$rule" "$tree" hpp '/cuda/' "$@" -I"$tree" -w -fsyntax-only; }

# refused FILE LINE...: the tree is refused with such a file, and accepted without it
refused() {
  in_namespace "$@"
  if check "${compiler[@]}" >"$tree/found" 2>&1 || ! grep -q "$1" "$tree/found"; then
    printf 'FAILED: passed, or not named, %s:\n%s\n' "$1" "$(<"$tree/found")" >&2
    exit 1
  fi
  rm "$tree/$1"
}

compiler=("$@")
in_namespace kernels/core/a.hpp 'struct Share {};' 'inline int parts() { return 1; }' 'class Queue;'
in_namespace kernels/core/cuda/a.hpp 'struct Share { int left_out; };'
in_namespace case/a.hpp 'class Queue {' '  struct Share {};' '};' 'inline int parts(int) { return 2; }'
in_namespace io/files/a.cpp 'namespace {' 'class Writer {' '};' '}  // namespace' 'struct Queue::Impl {' '};'
check "${compiler[@]}" >/dev/null
refused decomposition/grid/b.hpp 'enum class Share { all };'
refused solver/level/b.hpp 'class Share {' '};'
refused io/files/b.hpp 'template <class Real>' 'class Queue {' '};'
refused case/b.hpp 'inline long parts() { return 1; }'
refused solver/level/b.cpp 'struct Step {' '};'
refused kernels/core/b.cpp 'class Loop final : public Step {' '};'
refused io/files/b.cpp 'namespace {' '}  // namespace' 'enum class Step { one };'
check "${compiler[@]}" >/dev/null
