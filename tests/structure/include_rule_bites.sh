#!/usr/bin/env bash
# include_rule_bites.sh SOURCE_DIR
#
# Runs include_rule.sh on a small tree with one violation of each rule and with valid includes, and
# expects exactly the violations to be named.
set -euo pipefail
rule=$1/tests/structure/include_rule.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/kernels/{core,operators,sweep}/{cuda,cpu} "$tree"/tests \
  "$tree"/decomposition/{ranks,grid,transport,halo} "$tree"/solver/{problem,level,shed} \
  "$tree"/io/{hdf5,picture} "$tree"/case/{basics,toml,sections} "$tree"/app/{run,post} "$tree"/python/in_memory "$tree"/jobs

allowed() { printf '#include %s\n' "${@:2}" >>"$tree/$1"; }
refused() { allowed "$@"; echo "$1" >>"$tree/expected"; }
code() { printf '%s\n' "${@:2}" >>"$tree/$1"; }
refused_code() { code "$@"; echo "$1" >>"$tree/expected"; }

allowed kernels/core/cuda/a.cu '"kernels/core/cuda/b.hpp"' '<cuda_runtime.h>' '<vector>'
allowed kernels/sweep/a.cpp '"kernels/sweep/cuda/b.hpp"' '"kernels/operators/a.hpp"'
allowed decomposition/transport/a.cpp '<cuda_runtime_api.h>' '"kernels/core/cuda/b.hpp"' '<mpi.h>'
allowed kernels/sweep/a.portable.cpp '"kernels/core/for_each_point.hpp"'
allowed solver/a.cpp '"solver/level/a.hpp"' '"decomposition/halo/a.hpp"'
allowed io/hdf5/a.cpp '"decomposition/grid/a.hpp"' '"kernels/core/a.hpp"' '<hdf5.h>' '<fmt/format.h>'
allowed io/picture/a.cpp '<cairo.h>' '<cairo-pdf.h>'
allowed case/a.cpp '"solver/a.hpp"' '"io/picture/a.hpp"' '<toml++/toml.h>'
allowed app/main.cpp '"app/run/a.hpp"'
allowed case/sections/a.cpp '"case/case.hpp"' '"case/toml/a.hpp"'
allowed case/b.cpp '"case/sections/a.hpp"'
allowed python/a.cpp '"python/in_memory/a.hpp"' '"app/run/a.hpp"'
allowed tests/a.cpp '"case/a.hpp"' '<mpi.h>' '<hdf5.h>' '<cairo.h>'
code decomposition/grid/mpi.cpp 'MPI_Comm world = MPI_COMM_WORLD;'
code tests/mpi.cpp 'MPI_Barrier(MPI_COMM_WORLD);'
code app/run/words.cpp '/// as MPI_THREAD_MULTIPLE says' 'throw Error("no \"MPI_Init\"");' 'int TAMPI_flag; // MPI_Init'
refused_code app/run/mpi.cpp 'Communicator const self(MPI_COMM_SELF);  // "alone"'
refused_code io/hdf5/mpix.hpp 'fail("MPI"); MPIX_Query_cuda_support();'
refused_code solver/level/mpi.hpp '/// alone' '  MPI_Comm alone;'
refused kernels/core/up.cpp '"decomposition/grid/a.hpp"'
refused kernels/core/upstairs.cpp '"kernels/sweep/a.hpp"'
refused decomposition/grid/up.cpp '"solver/a.hpp"'
refused decomposition/transport/upstairs.cpp '"decomposition/halo/a.hpp"'
refused solver/level/across.cpp '"io/hdf5/a.hpp"'
refused solver/level/top.cpp '"solver/solver.hpp"'
refused solver/shed/a.cpp '<vector>'
refused io/picture/across.hpp '"solver/a.hpp"'
refused io/picture/beside.hpp '"io/hdf5/a.hpp"'
refused io/hdf5/up.cpp '"case/a.hpp"'
refused case/upstairs.cpp '"app/run/a.hpp"'
refused app/run/short.cpp '"case.hpp"'
refused case/basics/upstairs.cpp '"case/case.hpp"'
refused case/toml/upstairs.cpp '"case/sections/a.hpp"'
refused app/run/across.cpp '"python/in_memory/a.hpp"'
refused app/run/upstairs.cpp '"app/post/a.hpp"'
refused python/in_memory/upstairs.cpp '"python/arrays.hpp"'
refused jobs/a.cpp '<vector>'
refused solver/problem/backend.cpp '"kernels/core/cuda/b.hpp"'
refused kernels/core/cuda.cpp '<cuda_runtime.h>'
refused kernels/sweep/points.cpp '"kernels/core/for_each_point.hpp"'
refused solver/problem/mpi.cpp '<mpi.h>'
refused app/run/hdf5.cpp '<hdf5.h>'
refused app/run/cairo.cpp '<cairo.h>'
refused io/hdf5/cairo.hpp '<cairo-svg.h>'
refused kernels/core/text.hpp '<fmt/format.h>'

if bash "$rule" "$tree" >"$tree/said"; then
  echo "the rule passed a tree that breaks it" >&2
  exit 1
fi
diff <(sort "$tree/expected") <(grep -o '^[^:]*:[0-9]*:' "$tree/said" | cut -d: -f1 | sort)
