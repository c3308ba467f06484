#pragma once

#include <string>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "jobs/basics/build_info.hpp"
#include "jobs/case/case.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

/// Where a rank computes, and with whom it shares that.
struct Device {
  Backend backend = Backend::cpu;
  int number = 0;  ///< CUDA device number
  DeviceInfo info{};
  int sharers = 1;     ///< ranks on this rank's GPU, or on its host where the backend is the CPU
  int threads = 1;     ///< CPU threads of this rank
  int hosts = 1;       ///< in the whole job
  int cores = 1;       ///< of this rank's host that its ranks may use
  std::string reason;  ///< why the CPU was taken, where nobody asked for it; else empty
};

/// Takes the backend that was asked for, or for `automatic` CUDA where every rank has a device;
/// GPUs are dealt out by local rank. Sets the number of CPU threads: OMP_NUM_THREADS where that is
/// set, else this rank's fair share of the cores. Collective.
/// @throws InputError  where CUDA is asked for and a rank has none
Device choose_device(mpi::Communicator const& ranks, DeviceChoice wanted);

/// Into how many parts each axis is cut where nobody says so. GPUs of one host reach each other's
/// memory so fast that the shape of a part counts, which sweeps like whole, rather than its
/// surface.
Extent3 choose_parts(Grid const& grid, mpi::Communicator const& ranks, Device const& device);

/// "NVIDIA H200", or the processor and "8 threads": where one rank computes.
std::string describe(Device const& device);

/// What to do about cores that lie idle because the launcher keeps the ranks off them, as mpirun
/// does with few ranks; empty where there are none.
std::string hint_about_idle_cores(Device const& device);

/// That this build's device code was not compiled for speed, where the device will run it; else
/// empty.
std::string hint_about_device_code(Device const& device, BuildInfo const& build);

}  // namespace isotherm
