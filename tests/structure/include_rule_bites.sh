#!/usr/bin/env bash
# include_rule_bites.sh SOURCE_DIR
#
# Gives include_rule.sh a small tree with one breach of each rule, and with includes that are
# allowed, and expects exactly the breaches to be named.
set -euo pipefail
rule=$1/tests/structure/include_rule.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{kernels/cuda,decomposition/transport,solver,io,jobs,tests}

allowed() { printf '#include %s\n' "${@:2}" >>"$tree/$1"; }
refused() { allowed "$@"; echo "$1" >>"$tree/expected"; }

allowed kernels/cuda/a.cu '"kernels/cuda/b.hpp"' '<cuda_runtime.h>' '<vector>'
allowed kernels/a.cpp '"kernels/cuda/b.hpp"'
allowed decomposition/transport/a.cpp '<cuda_runtime_api.h>' '"kernels/cuda/b.hpp"' '<mpi.h>'
allowed io/a.cpp '"decomposition/a.hpp"' '"kernels/a.hpp"' '<hdf5.h>' '<fmt/format.h>'
allowed jobs/a.cpp '"solver/a.hpp"' '"io/a.hpp"' '<toml++/toml.h>'
allowed tests/a.cpp '"jobs/a.hpp"' '<mpi.h>' '<hdf5.h>'
refused kernels/up.cpp '"decomposition/a.hpp"'
refused decomposition/up.cpp '"solver/a.hpp"'
refused solver/across.cpp '"io/a.hpp"'
refused io/across.hpp '"solver/a.hpp"'
refused io/up.cpp '"jobs/a.hpp"'
refused jobs/short.cpp '"case.hpp"'
refused solver/backend.cpp '"kernels/cuda/b.hpp"'
refused kernels/cuda.cpp '<cuda_runtime.h>'
refused solver/mpi.cpp '<mpi.h>'
refused jobs/hdf5.cpp '<hdf5.h>'
refused kernels/text.hpp '<fmt/format.h>'

if bash "$rule" "$tree" >"$tree/said"; then
  echo "the rule passed a tree that breaks it" >&2
  exit 1
fi
diff <(sort "$tree/expected") <(grep -o '^[^:]*:[0-9]*:' "$tree/said" | cut -d: -f1 | sort)
