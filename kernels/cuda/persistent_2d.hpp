#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

#include "kernels/field.hpp"
#include "kernels/reduce.hpp"

namespace isotherm::cuda {

/// Enqueues `steps` steps of `rule` on a two-dimensional grid that fits the registers of the device
/// in hand: one kernel loads it, takes all steps on the chip and stores it, so that neither memory
/// nor the start of kernels is waited for. Bit-equal to as many plain sweeps.
///
/// @param field     in and out; its box is the whole grid, without halo
/// @param free      points that the rule changes; all others keep their value. Where a direction is
///                  not periodic, the grid's outermost points in it must not be free
/// @param periodic  whether the grid closes on itself in x and in y
/// @param source    as in Pass, needed on the grid only; or none
/// @param change    where to accumulate the last step's change over the free points, or null
/// @return          false, with nothing enqueued, if the grid is too large, or too small to be cut
template <class Rule>
bool advance_resident(cudaStream_t stream, Rule const& rule,
                      FieldView<typename Rule::Real> const& field, LocalBox const& free,
                      std::array<bool, 2> periodic,
                      FieldView<typename Rule::Real const> const& source, std::int64_t steps,
                      Change* change);

}  // namespace isotherm::cuda
