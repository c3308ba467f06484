#pragma once

#include <optional>
#include <string>

#include "app/bench/bench.hpp"
#include "app/machine/device_choice.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// The result of measuring one problem on a group of ranks. If `obstacle` is not empty, the other
/// members have their defaults. Times are in seconds, on the slowest rank of the group.
struct GroupMeasurement {
  std::string obstacle{};  ///< the reason if nothing was measured, else empty
  /// Number of subdomains along each axis.
  Extent3 parts{};
  /// The plan that was used.
  SweepPlan plan{};
  TransportDescription transport{};  ///< of its halos
  double seconds = 0.0;              ///< time of an iteration
  /// Time of an iteration if each subdomain is a problem of its own, without neighbours.
  std::optional<double> alone_s{};
  /// Time of all steps as a whole, if a number of steps is given.
  std::optional<double> all_steps_s{};

  /// Returns the share of an iteration that is due to halo exchanges, 1 − alone_s / seconds. It may
  /// be slightly negative, because both times are measured. None if alone_s is unknown.
  [[nodiscard]] std::optional<double> share_of_halos() const {
    return alone_s ? std::optional(1.0 - *alone_s / seconds) : std::nullopt;
  }
};

/// Measures a problem on all ranks of `group`, on a random field. Collective over the group. Other
/// ranks must leave the cores of the group idle meanwhile.
/// @param scaling  equation, plan, transport, interval of checks and number of steps
/// @param batches  number and duration of the timed batches; medians are returned
/// @returns  a result with an obstacle if the problem cannot be solved on this group
GroupMeasurement measure_group(mpi::Communicator const& group, Device const& device,
                               Problem const& problem, ScalingBenchOptions const& scaling,
                               Batches batches);

/// Checks the plan and the transport before any group measures. Collective.
/// @throws InputError  on every rank, if there is no such plan or the transport does not work here
void check_scaling(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                   ScalingBenchOptions const& scaling);

}  // namespace isotherm::app
