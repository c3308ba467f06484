#pragma once

#include <cstddef>
#include <span>

#include "kernels/core/queue/queue.hpp"
#include "kernels/operators/smoothing_conductances.hpp"

namespace isotherm {

/// Enqueues the first smoothing sweeps (PartialRelax) of a correction that is initially zero. The
/// first sweep needs no neighbours:
///
///   values(p) = ω source(p) / Σ g
///
/// at the points of `box`. Fixed points have inverse_diagonal = 0 and thus the value 0. Old content
/// of `values` is ignored.
///
/// In 3D, CUDA devices perform the second sweep in the same pass. It requires the source at the
/// free points of box.grown(1), and the conductances that a sweep of these points reads.
/// @param weights  relaxation factors ω of the sweeps that may be performed; not empty
/// @param free  points that sweeps change
/// @returns  the number of sweeps that were performed
/// @throws Error  if the source or the values do not cover the accessed points
template <class Real, int dimension>
std::size_t sweep_from_zero(Queue& queue,
                            SmoothingConductances<Real, dimension> const& conductances,
                            std::span<double const> weights, FieldView<Real const> source,
                            FieldView<Real> values, LocalBox box, LocalBox free);

}  // namespace isotherm
