#include "decomposition/ranks/device_memory.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <link.h>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/error.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI's own calls
#endif

namespace isotherm::mpi {
namespace {

constexpr char const* variable = "ISOTHERM_MPI_DEVICE_MEMORY";

/// The setting of this process.
std::atomic<DeviceMemory>& setting() {
  static std::atomic<DeviceMemory> value = DeviceMemory::automatic;
  return value;
}

/// The value of the environment variable, or "auto".
std::string_view value_of_variable() {
  char const* const text = std::getenv(variable);
  return text == nullptr ? name(DeviceMemory::automatic) : text;
}

/// Returns what is wrong with the environment variable; empty if nothing is.
std::string fault_of_variable() {
  try {
    (void)device_memory_from_name(value_of_variable(), variable);
    return {};
  } catch (InputError const& fault) {
    return fault.what();
  }
}

/// The setting, or if there is none that of the environment. @pre  no fault_of_variable()
DeviceMemory chosen_use() {
  DeviceMemory const set = setting();
  return set != DeviceMemory::automatic ? set
                                        : device_memory_from_name(value_of_variable(), variable);
}

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
  char const* const value = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  return value != nullptr && std::string_view(value) == "1";
}

/// True for Cray MPICH, by the name that the library reports.
bool is_cray() { return library_version().find("CRAY MPICH") != std::string::npos; }

/// True if the MPI library has a control variable of this name (MPI_T).
bool has_control_variable(char const* name) {
#ifdef ISOTHERM_SERIAL_MPI
  return name == nullptr;
#else
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return false;
  int index = 0;
  bool const found = MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS;
  (void)MPI_T_finalize();
  return found;
#endif
}

/// True if a shared library whose file name contains `part` is loaded in this process.
bool is_loaded(char const* part) {
  // The callback ends the search by a value that is not 0.
  auto const contains = [](dl_phdr_info* library, std::size_t, void* wanted) {
    std::string_view const name(library->dlpi_name == nullptr ? "" : library->dlpi_name);
    return name.find(static_cast<char const*>(wanted)) == std::string_view::npos ? 0 : 1;
  };
  return dl_iterate_phdr(contains, const_cast<char*>(part)) != 0;
}

/// True if Open MPI sends by UCX, and UCX has loaded its CUDA transports. UCX does so only if it
/// was built with CUDA and finds a driver.
bool sends_by_ucx_with_cuda() {
  // Open MPI removes the variables of the components that it has not selected for messages.
  bool const sends_by_ucx = has_control_variable("pml_ucx_priority") &&
                            !has_control_variable("pml_ob1_priority") &&
                            !has_control_variable("pml_cm_priority");
  return sends_by_ucx && is_loaded("libuct_cuda") && includes_cuda(std::getenv("UCX_TLS"));
}

bool shows_support() {
  if (is_cray()) return cray_job_asks_for_it();
  return library_reports_support() || sends_by_ucx_with_cuda();
}

}  // namespace

char const* name(DeviceMemory use) {
  switch (use) {
    case DeviceMemory::automatic:
      return "auto";
    case DeviceMemory::yes:
      return "yes";
    case DeviceMemory::no:
      return "no";
  }
  throw Error("a use of device memory without a name");
}

DeviceMemory device_memory_from_name(std::string_view wanted, std::string_view where) {
  for (DeviceMemory const use : {DeviceMemory::automatic, DeviceMemory::yes, DeviceMemory::no}) {
    if (wanted == name(use)) return use;
  }
  throw InputError(std::string(where) + " is \"" + std::string(wanted) +
                   "\"; it must be \"auto\", \"yes\" or \"no\"");
}

void use_device_memory(DeviceMemory use) { setting() = use; }

bool includes_cuda(char const* ucx_transports) {
  if (ucx_transports == nullptr) return true;
  std::string_view list(ucx_transports);
  // "^" begins a list of excluded transports.
  bool const is_exclusion = list.starts_with('^');
  if (is_exclusion) list.remove_prefix(1);
  bool has_all = false;
  bool has_cuda = false;
  while (!list.empty()) {
    std::string_view const one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    has_all = has_all || one == "all";
    has_cuda = has_cuda || one == "cuda" || one == "cuda_copy";
  }
  return is_exclusion ? !has_cuda : has_all || has_cuda;
}

std::string obstacle_to_device_memory() {
  if (std::string fault = fault_of_variable(); !fault.empty()) return fault;
  switch (chosen_use()) {
    case DeviceMemory::yes:
      return {};
    case DeviceMemory::no:
      return "mpi_device_memory is \"no\"";
    case DeviceMemory::automatic:
      break;
  }
  if (shows_support()) return {};
  return library_version() +
         " does not report that it accepts pointers to device memory (if it does, set "
         "mpi_device_memory = \"yes\")";
}

void check_device_memory_setting(Communicator const& ranks) {
  std::string const fault = ranks.first_text(fault_of_variable());
  if (!fault.empty()) throw InputError(fault);
}

bool accepts_device_memory() { return obstacle_to_device_memory().empty(); }

}  // namespace isotherm::mpi
