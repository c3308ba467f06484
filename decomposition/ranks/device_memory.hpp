#pragma once

#include <string>
#include <string_view>

namespace isotherm::mpi {

class Communicator;

/// Whether the MPI library of this process may be given pointers to device memory.
enum class DeviceMemory {
  automatic,  ///< if the library reports support, or shows a reliable sign of it
  yes,        ///< always; a library without support then crashes
  no,         ///< never
};

/// Returns "auto", "yes" or "no".
char const* name(DeviceMemory use);
/// Returns the setting with this name.
/// @param where  names the key or variable in the message
/// @throws InputError  if there is none
DeviceMemory device_memory_from_name(std::string_view name, std::string_view where);

/// Sets it for this process. `automatic`, the initial value, leaves the decision to the environment
/// variable ISOTHERM_MPI_DEVICE_MEMORY, if it is set. Thread-safe.
void use_device_memory(DeviceMemory use);

/// Returns the reason why MPI must not be given pointers to device memory; empty if it may be.
///
/// Without a setting, only libraries that say so are trusted. A wrong guess would crash the run:
/// most libraries copy messages with memcpy(). Signs are
///
/// - the library's own query (MPIX_Query_cuda_support, MPIX_GPU_query_support);
/// - for Cray MPICH, MPICH_GPU_SUPPORT_ENABLED=1, which the query does not reflect;
/// - for Open MPI, messages by UCX (pml "ucx") with UCX's CUDA transports loaded, which UCX_TLS
///   does not exclude. Open MPI passes the addresses to UCX, also if its own query answers 0.
///
/// An invalid environment variable is an obstacle, too.
std::string obstacle_to_device_memory();
/// Checks the environment variable. Collective.
/// @throws InputError  on every rank, if it has another value than auto, yes and no on any of them
void check_device_memory_setting(Communicator const& ranks);

/// True if a list of UCX transports, as in UCX_TLS, includes those that copy device memory. A null
/// list means all transports.
bool includes_cuda(char const* ucx_transports);

}  // namespace isotherm::mpi
