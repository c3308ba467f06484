#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/plan_table.hpp"

// The first run on a device that the built-in plan table does not know measures all plans, which
// takes a few seconds, and remembers the fastest for later runs.

namespace isotherm::app {

/// What decides whether plans are measured before a run.
struct TuningRequest {
  SweepSubject subject{};
  DeviceInfo device{};
  /// As [run] tune: measure if this sweep is not remembered, or never. Empty: measure on GPUs that
  /// the built-in table does not know, if the run is long enough.
  std::optional<bool> wanted{};
  double point_updates = 0.0;  ///< of the run on this rank: points times iterations
};

/// The plans that a device is known by.
struct KnownPlans {
  PlanTable rows{};                     ///< for such sweeps on this device
  std::string file{};                   ///< that holds them; empty if there is none
  std::string measured{};               ///< a line about the measurement; empty if there was none
  std::vector<std::string> warnings{};  ///< about a file that cannot be read or written
};

/// Returns true if the built-in plan table has rows that were measured on such a device.
bool is_known_generation(Backend backend, DeviceInfo const& device);

/// Returns the plans that are remembered for the device of the root, and measures them first if
/// that was requested and none is remembered for such a sweep. Collective.
///
/// The root measures alone while the other ranks wait. A file that cannot be read or written gives
/// a warning.
/// @param request  of this rank; the root's decides
KnownPlans known_plans(mpi::Communicator const& ranks, TuningRequest const& request);

}  // namespace isotherm::app
