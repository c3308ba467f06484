#include <cstdlib>
#include <string_view>

#include "decomposition/ranks/mpi.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI's own calls
#endif

namespace isotherm::mpi {
namespace {

/// Asks the MPI library if it accepts device memory. Each library has its own call or none; its
/// macros identify the call.
bool library_reports_support() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  check(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported));
  return supported != 0;
#else
  return false;
#endif
}

/// Cray's MPI accepts device memory only in jobs that set this variable. In all other jobs it
/// crashes on a pointer to device memory.
bool cray_job_asks_for_it() {
  char const* const setting = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  return setting != nullptr && std::string_view(setting) == "1";
}

/// True for Cray MPICH, by the name that the library reports.
bool is_cray() { return library_version().find("CRAY MPICH") != std::string::npos; }

}  // namespace

bool accepts_device_memory() {
  return is_cray() ? cray_job_asks_for_it() : library_reports_support();
}

}  // namespace isotherm::mpi
