#pragma once

#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/plan_table.hpp"

namespace isotherm::app {

/// A plan and the rate of its sweeps.
struct TimedPlan {
  SweepPlan plan{};
  double points_per_second = 0.0;
};

/// Returns the grid on which a subject's plans are timed: its extent, halved along the longest axis
/// until it has at most 2²⁴ points. Rates hardly change on larger grids.
Extent3 timed_grid(Extent3 extent);

/// Measures each plan that can sweep such a subject, on this rank alone and on a grid of
/// timed_grid(). A plan takes approximately a tenth of a second.
///
///   auto const timed = time_plans(alone, subject, 10.0);
///   TimedPlan const& fastest = timed.front();
/// @param alone     the communicator of one rank
/// @param budget_s  plans that have not begun after these seconds are left out
/// @returns  the plans that could run, the fastest first
std::vector<TimedPlan> time_plans(mpi::Communicator const& alone, SweepSubject const& subject,
                                  double budget_s);

/// Returns the fastest plan, and of those that follow each that takes fewer steps a pass than all
/// before it: the plans for the rest of an interval.
/// @param timed  the fastest first
std::vector<TimedPlan> plans_to_remember(std::vector<TimedPlan> const& timed);

}  // namespace isotherm::app
