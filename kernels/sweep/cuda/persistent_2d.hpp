#pragma once

#include "kernels/sweep/resident.hpp"

namespace isotherm::cuda {

/// True where advance_resident() can take a grid of `n` points: not too large for the registers of
/// the device, and not too small to be cut.
template <class Real>
bool resident_fits(int device, Extent3 n, bool has_source);

/// See kernels/sweep/resident.hpp. One kernel loads the grid, takes all steps on the chip and
/// stores it.
template <class Rule>
void advance_resident(Queue& queue, Rule const& rule, ResidentGrid<typename Rule::Real> const& grid,
                      std::int64_t steps, MeasuredSteps const& measured);

}  // namespace isotherm::cuda
