#!/usr/bin/env bash
# include_rule.sh SOURCE_DIR
#
# Reads every #include of the sources below SOURCE_DIR and names those that break the order of the
# layers (jobs -> {solver, io} -> decomposition -> kernels) or bring CUDA, MPI, HDF5 or a text
# library to a folder that must not know it. Exit code 1 where there is one.
set -euo pipefail
cd "$1"

find kernels decomposition solver io jobs tests -type f \
     \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort | xargs awk '
  BEGIN {
    may["kernels"] = "kernels"
    may["decomposition"] = "decomposition kernels"
    may["solver"] = "solver decomposition kernels"
    may["io"] = "io decomposition kernels"
    may["jobs"] = "jobs solver io decomposition kernels"
    may["tests"] = "tests support jobs solver io decomposition kernels"
  }
  function broken(rule) { printf "%s:%d: %s: %s\n", FILENAME, FNR, $0, rule; found = 1 }
  function in_list(word, list) { return index(" " list " ", " " word " ") > 0 }

  FNR == 1 { folder = FILENAME; sub("/.*", "", folder); testing = folder == "tests"; files++ }
  !/^[ \t]*#[ \t]*include/ { next }
  {
    quoted = $0 ~ /include[ \t]*"/
    name = $0; sub(/^[^"<]*["<]/, "", name); sub(/[">].*$/, "", name)
    top = name; sub("/.*", "", top)
  }
  quoted && name !~ "/" { broken("project headers are named from the root, folder first"); next }
  quoted && !in_list(top, may[folder]) { broken(folder "/ may include only: " may[folder]) }
  quoted && name ~ "^kernels/cuda/" && folder != "kernels" && !testing &&
    FILENAME !~ "^decomposition/transport/" {
      broken("the CUDA backend is known to kernels/ and decomposition/transport/ only")
  }
  quoted { next }

  name ~ /^(cuda|cub\/|thrust\/|cooperative_groups|nccl|nvtx)/ && !testing &&
    FILENAME !~ "^(kernels/cuda|decomposition/transport)/" {
      broken("CUDA is named only in kernels/cuda/ and decomposition/transport/")
  }
  name ~ /^mpi/ && folder != "decomposition" && !testing { broken("MPI is named only in decomposition/") }
  name ~ /^hdf5|^H5/ && folder != "io" && !testing { broken("HDF5 is named only in io/") }
  name ~ /^(fmt|spdlog|toml\+\+|nlohmann|CLI)\// && folder == "kernels" {
    broken("nvcc cannot compile some of the text libraries; kernels/ does without them")
  }
  END { printf "%d files read\n", files; exit found ? 1 : files == 0 }'
