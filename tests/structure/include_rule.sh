#!/usr/bin/env bash
# include_rule.sh SOURCE_DIR
#
# Reads every #include of the sources below SOURCE_DIR and names those that break the order of the
# rooms: those that lead to a room that is not below their own (the lists of `may`), and those that
# bring CUDA, MPI, HDF5, Cairo or a text library to a room that must not know it. It also names
# lines of code outside decomposition/ that use MPI's own names. Exit code 1 if there is any.
set -euo pipefail
cd "$1"

find kernels decomposition solver io case app python jobs tests -type f \
     \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort | xargs awk '
  # The rooms whose files the files of a room may include, in addition to their own. A name without
  # a folder stands for the whole room. Each list names only rooms of earlier lines, so there are no
  # cycles.
  function room(name, list) { may[name] = name " " list }
  BEGIN {
    room("kernels/core", "")
    room("kernels/operators", "kernels/core")
    room("kernels/updates", "kernels/core kernels/operators")
    room("kernels/faces", "kernels/core")
    room("kernels/gaussians", "kernels/core")
    room("kernels/filters", "kernels/core")
    room("kernels/expressions", "kernels/core")
    room("kernels/reductions", "kernels/core")
    room("kernels/memories", "kernels/core kernels/filters kernels/gaussians")
    room("kernels/aggregates", "kernels/core")
    room("kernels/conduction", "kernels/core kernels/operators")
    room("kernels/sweep", "kernels/core kernels/operators kernels/updates kernels/faces")
    room("kernels/multigrid", "kernels/core kernels/sweep kernels/operators kernels/updates")
    room("kernels/transforms", "kernels/core kernels/sweep")

    room("decomposition/ranks", "kernels")
    room("decomposition/grid", "kernels decomposition/ranks")
    room("decomposition/transport", "kernels decomposition/ranks decomposition/grid")
    below = "kernels decomposition/ranks decomposition/grid decomposition/transport"
    room("decomposition/halo", below)
    room("decomposition/field", below " decomposition/halo")

    below = "kernels decomposition"
    room("solver/problem", below)
    room("solver/discretise", below " solver/problem")
    room("solver/level", below " solver/problem solver/discretise")
    below_methods = below " solver/problem solver/discretise solver/level"
    room("solver/relaxation", below_methods)
    room("solver/iteration", below_methods)
    room("solver/multigrid", below_methods " solver/iteration")
    room("solver/direct", below_methods " solver/iteration solver/multigrid")
    room("solver/nonlinear", below_methods " solver/iteration solver/multigrid")
    room("solver/time", below_methods " solver/iteration solver/multigrid solver/direct solver/nonlinear")
    room("solver", "kernels decomposition")  # what makes a solver of them all

    room("io/files", below)
    room("io/hdf5", below " io/files")
    room("io/values", below " io/files")
    room("io/surface", below " io/files io/values")
    room("io/snapshot", below " io/files io/hdf5 io/values")
    room("io/picture", below " io/files")

    below = "kernels decomposition solver io"
    room("case/basics", below)
    room("case/toml", below " case/basics")
    room("case/expressions", below " case/basics")
    room("case/data", below " case/basics case/toml case/expressions")
    room("case", below)  # what reads a case, section by section
    room("case/sections", below " case")  # they fill in what case.hpp declares

    below = "kernels decomposition solver io case"
    room("app/machine", below)
    room("app/run", below " app/machine")
    room("app/bench", below " app/machine")
    room("app/post", below " app/machine app/run")
    room("app/sweep", below)
    room("app/command_line", below " app/machine app/run app/bench app/post app/sweep")
    room("app", below)
    room("python/in_memory", below " app/machine app/run")
    room("python", below " app/machine app/run")

    room("tests", "support kernels decomposition solver io case app python")
  }
  function broken(rule) { printf "%s:%d: %s: %s\n", FILENAME, FNR, $0, rule; found = 1 }
  # Returns the room of a file: its first two folders, or the first if there is only one.
  function room_of(path,   part, n) {
    n = split(path, part, "/")
    if (part[1] == "tests" || n < 3) return part[1]
    return part[1] "/" part[2]
  }
  function allowed(name, list,   i, n, word) {
    n = split(list, word, " ")
    for (i = 1; i <= n; ++i) {
      if (name == word[i] || index(name, word[i] "/") == 1) return 1
    }
    return 0
  }
  # Returns true if a line of code contains a name of MPI outside comments and texts.
  function uses_mpi(line) {
    gsub(/"([^"\\]|\\.)*"/, "", line)
    sub(/\/\/.*/, "", line)
    return line ~ /(^|[^A-Za-z0-9_])MPIX?_/
  }

  FNR == 1 {
    here = room_of(FILENAME); folder = here; sub("/.*", "", folder)
    testing = folder == "tests"; files++
    if (!(here in may)) broken("the folder " here " has no place in the order of the rooms")
  }
  !/^[ \t]*#[ \t]*include/ {
    if (/MPIX?_/ && folder != "decomposition" && !testing && uses_mpi($0)) {
      broken("MPI is used only in decomposition/, by the functions of decomposition/ranks/mpi.hpp")
    }
    next
  }
  {
    quoted = $0 ~ /include[ \t]*"/
    name = $0; sub(/^[^"<]*["<]/, "", name); sub(/[">].*$/, "", name)
    there = room_of(name)
  }
  quoted && name !~ "/" { broken("project headers are named from the root, folder first"); next }
  quoted && !allowed(there, may[here]) { broken(here " may include only: " may[here]) }
  quoted && name ~ "^kernels/(.*/)?cuda/" && folder != "kernels" && !testing &&
    here != "decomposition/transport" {
      broken("the CUDA backend is known to kernels/ and decomposition/transport/ only")
  }
  name == "kernels/core/for_each_point.hpp" && FILENAME !~ /\.portable\.cpp$/ {
    broken("only a *.portable.cpp, which nvcc compiles, can start pointwise operations on CUDA")
  }
  quoted { next }

  name ~ /^(cuda|cub\/|thrust\/|cooperative_groups|nccl|nvtx)/ && !testing &&
    FILENAME !~ "^(kernels/.*/cuda|decomposition/transport)/" {
      broken("CUDA is named only in the folders cuda/ of kernels/ and in decomposition/transport/")
  }
  name ~ /^mpi/ && folder != "decomposition" && !testing { broken("MPI is named only in decomposition/") }
  name ~ /^hdf5|^H5/ && folder != "io" && !testing { broken("HDF5 is named only in io/") }
  name ~ /^(cairo|fontconfig|ft2build|freetype)/ && here != "io/picture" && !testing {
    broken("Cairo is named only in io/picture/")
  }
  name ~ /^png/ && here != "io/values" && !testing { broken("libpng is named only in io/values/") }
  name ~ /^(fmt|spdlog|toml\+\+|nlohmann|CLI)\// && folder == "kernels" {
    broken("nvcc cannot compile some of the text libraries; kernels/ does without them")
  }
  END { printf "%d files read\n", files; exit found ? 1 : files == 0 }'
