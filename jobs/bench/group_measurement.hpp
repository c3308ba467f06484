#pragma once

#include <optional>
#include <string>

#include "jobs/bench/bench.hpp"
#include "jobs/machine/device_choice.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// What some ranks did with one problem.
struct GroupMeasurement {
  std::string obstacle{};  ///< why nothing was measured; empty where it was
  Extent3 parts{};
  SweepPlan plan{};
  std::string transport;            ///< how halos travelled
  double seconds = 0.0;             ///< an iteration
  std::optional<double> alone_s{};  ///< the same parts as problems of their own, without neighbours
  std::optional<double> all_steps_s{};  ///< where a number of steps was asked for

  /// The share of an iteration that the parts do not take by themselves.
  [[nodiscard]] std::optional<double> share_of_halos() const {
    return alone_s ? std::optional(1.0 - *alone_s / seconds) : std::nullopt;
  }
};

/// Times a problem on all ranks of `group`, on a random field, as `scaling` asks for. Collective.
GroupMeasurement measure_group(mpi::Communicator const& group, Device const& device,
                               Problem const& problem, ScalingBenchOptions const& scaling,
                               int repeat);

/// Checks what can be checked before any group measures.
/// @throws InputError  on every rank, where there is no such plan, or the transport cannot work
///                     here. Collective.
void check_scaling(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                   ScalingBenchOptions const& scaling);

}  // namespace isotherm
