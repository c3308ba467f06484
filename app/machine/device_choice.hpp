#pragma once

#include <optional>
#include <string>

#include "app/machine/small_work.hpp"
#include "case/basics/build_info.hpp"
#include "case/case.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm::app {

/// The device on which a rank computes, and how many ranks share it.
///
/// choose_device() sets all members. A default-constructed object stands for the CPU, without a
/// description. `backend` and `hosts` are the same on every rank; the other members may differ.
struct Device {
  Backend backend = Backend::cpu;
  int number = 0;      ///< CUDA device number
  DeviceInfo info{};   ///< name, size and free memory, as queried by choose_device()
  int sharers = 1;     ///< ranks on this rank's GPU; on the CPU backend, on its host
  int threads = 1;     ///< CPU threads of this rank
  int hosts = 1;       ///< of the whole job
  int cores = 1;       ///< cores of this rank's host that the job's ranks may use
  std::string reason;  ///< why `automatic` chose the CPU; else empty
};

/// Chooses the requested backend. For `automatic` it chooses CUDA if every rank has a device, and
/// if the work, if it is given, is not so small that the CPU ends earlier. GPUs are assigned by
/// local rank. Also sets the number of CPU threads: OMP_NUM_THREADS if that is set, else this
/// rank's fair share of the cores. Collective.
///
///   Device const device = choose_device(ranks, DeviceChoice::automatic);
///   Queue queue(device.backend, device.number);
///   Extent3 const parts = choose_parts(grid, ranks, device);
/// @param work  what is computed on all ranks; the same on every rank
/// @throws InputError  on every rank, if CUDA is requested and a rank has no device
Device choose_device(mpi::Communicator const& ranks, DeviceChoice wanted,
                     std::optional<Work> const& work = {});

/// Returns the number of parts along each axis, if the case does not set it. GPUs of one host
/// exchange halos quickly, so slabs are preferred: sweeps work best on whole planes, and the larger
/// surface costs little. Otherwise the surface of the parts is minimised.
/// @returns  the same numbers on every rank; their product is the number of ranks
/// @throws InputError  on every rank, if there is no such decomposition
Extent3 choose_parts(Grid const& grid, mpi::Communicator const& ranks, Device const& device);

/// Returns the name of the device: "NVIDIA H200", or the processor and "8 threads".
std::string describe(Device const& device);

/// Returns advice if cores are idle because the launcher binds the ranks to other cores, as mpirun
/// does for few ranks; empty otherwise. Concerns the CPU backend and this rank's host only.
std::string hint_about_idle_cores(Device const& device);

/// Returns a warning if the rank uses a GPU, but this build's device code was compiled for a short
/// build, not for speed; empty otherwise.
std::string hint_about_device_code(Device const& device, BuildInfo const& build);

}  // namespace isotherm::app
