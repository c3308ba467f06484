#pragma once

#include "kernels/sweep/resident.hpp"

namespace isotherm::cuda {

/// Returns true if advance_resident() supports a grid of `n` points: it must fit the device's
/// registers and be large enough to be divided among blocks.
template <class Real>
bool resident_fits(int device, Extent3 n, bool has_source);

/// Runs the persistent kernel: it loads the grid, performs all steps in registers and stores the
/// grid. See kernels/sweep/resident.hpp.
/// @throws Error  if the grid does not fit the device, or the launch fails
template <class Rule>
void advance_resident(Queue& queue, Rule const& rule, ResidentGrid<typename Rule::Real> const& grid,
                      std::int64_t steps, MeasuredSteps const& measured);

}  // namespace isotherm::cuda
