#include "case/basics/version.hpp"

#include <fmt/format.h>

#include "case/basics/build_info.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/hdf5/library_version.hpp"

namespace isotherm {

std::string build_line() {
  BuildInfo const build = build_info();
  return fmt::format("isotherm {} ({}, {}, {})", build.version, build.revision, build.type,
                     build.compiler);
}

namespace {

/// Returns the CUDA version and the compute capabilities, if this build has CUDA.
std::string cuda_line(BuildInfo const& build) {
  if (build.cuda_version[0] == '\0') {
    return "not included in this build";
  }
  return fmt::format("{}, compute capability {}", build.cuda_version, build.cuda_architectures);
}

}  // namespace

std::string version_text() {
  BuildInfo const build = build_info();
  return fmt::format(
      "isotherm {}\n"
      "  revision  {}\n"
      "  build     {}, {}\n"
      "  flags     {}\n"
      "  CUDA      {}\n"
      "  MPI       {}\n"
      "  HDF5      {}",
      build.version, build.revision, build.type, build.compiler, build.flags, cuda_line(build),
      mpi::library_version(), hdf5_version());
}

}  // namespace isotherm
