#include "app/machine/device_choice.hpp"

#include <cstdlib>

#include "app/machine/placement.hpp"
#include "case/basics/text/text.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "decomposition/ranks/device_sharing.hpp"

namespace isotherm::app {

namespace {

/// Returns the backend for all ranks. Collective.
/// @throws InputError  on every rank, if CUDA is requested and some rank has no device
Backend choose_backend(mpi::Communicator const& ranks, DeviceChoice wanted) {
  if (wanted == DeviceChoice::cuda) {
    rethrow_on_all_ranks(ranks, [] {
      if (cuda_device_count() == 0) {
        throw InputError("cannot compute on CUDA here: " + cuda_absence_reason() +
                         R"( (use "auto" or "cpu"))");
      }
    });
    return Backend::cuda;
  }
  // All ranks use the same backend.
  bool const cuda_everywhere = !ranks.any(cuda_device_count() == 0);
  return wanted == DeviceChoice::automatic && cuda_everywhere ? Backend::cuda : Backend::cpu;
}

/// Returns why `automatic` chose the CPU, although every rank may have a device.
std::string reason_for_cpu(bool is_small) {
  if (is_small) {
    return "the CPU ends before a GPU has started, since this is little work (--device cuda "
           "computes on the GPU)";
  }
  return cuda_device_count() == 0 ? cuda_absence_reason() : "some rank has no CUDA device";
}

/// Sets the number of threads of this rank: the user's own, or its fair share of the cores.
void set_threads(std::vector<Placement> const& placements, int rank) {
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    set_cpu_threads(fair_threads(placements, rank));
  }
}

}  // namespace

Device choose_device(mpi::Communicator const& ranks, DeviceChoice wanted,
                     std::optional<Work> const& work) {
  Device device;
  device.backend = choose_backend(ranks, wanted);
  // The placements of all ranks determine hosts, cores and threads.
  auto const placements = gather_placements(ranks, own_placement());
  set_threads(placements, ranks.rank());
  device.threads = cpu_threads();
  // All ranks agree, since the sum of the threads is the same on each.
  double const threads = ranks.sum(static_cast<double>(device.threads));
  bool const is_small = wanted == DeviceChoice::automatic && device.backend == Backend::cuda &&
                        work && cpu_is_faster(*work, threads);
  if (is_small) device.backend = Backend::cpu;
  if (device.backend == Backend::cuda) {
    // If a host has more ranks than GPUs, several ranks share a GPU.
    device.number = ranks.local_rank() % cuda_device_count();
  } else if (wanted == DeviceChoice::automatic) {
    device.reason = reason_for_cpu(is_small);
  }
  device.info = device_info(device.backend, device.number);
  // GPUs are compared by their UUIDs, since device numbers may differ between ranks.
  // CUDA_VISIBLE_DEVICES changes them.
  device.sharers = count_sharers(gather_devices(ranks, device.info.uuid), ranks.rank());
  device.hosts = count_hosts(placements);
  device.cores = count_cores_in_use(placements, ranks.rank());
  return device;
}

Extent3 choose_parts(Grid const& grid, mpi::Communicator const& ranks, Device const& device) {
  // GPUs of one host access each other's memory.
  bool const near = device.backend == Backend::cuda && device.hosts == 1;
  // The minimum thickness of a slab in points: several times the deepest pass. Most points of
  // thinner slabs would belong to the rim.
  std::int64_t const thickness = grid.dimension == 3 ? 32 : 128;
  return near ? choose_slabs(grid, ranks.size(), thickness)
              : choose_decomposition(grid, ranks.size());
}

std::string describe(Device const& device) {
  if (device.backend == Backend::cuda) {
    return device.info.name;
  }
  return device.info.name + ", " + format_count(device.threads, "thread");
}

std::string hint_about_idle_cores(Device const& device) {
  if (device.backend != Backend::cpu || device.cores >= device.info.multiprocessors) {
    return "";
  }
  // The user's own number of threads may need no more cores than these.
  bool const is_wanted = std::getenv("OMP_NUM_THREADS") != nullptr;
  if (is_wanted && device.sharers * device.threads <= device.cores) return "";
  return "the launcher binds the ranks to " + format_count(device.cores, "core") + " of " +
         std::to_string(device.info.multiprocessors) +
         " (with mpirun --bind-to none they can use all)";
}

std::string hint_about_device_code(Device const& device, BuildInfo const& build) {
  if (device.backend != Backend::cuda || !build.slow_device_code) {
    return "";
  }
  return "the device code of this build is slow, since it was compiled on a machine without a GPU "
         "(rebuild with cmake -D ISOTHERM_QUICK_DEVICE_CODE=OFF)";
}

}  // namespace isotherm::app
