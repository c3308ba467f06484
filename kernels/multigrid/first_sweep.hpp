#pragma once

#include <cstddef>
#include <span>

#include "kernels/core/queue.hpp"
#include "kernels/operators/solved_conductances.hpp"

namespace isotherm {

/// Enqueues what the first sweeps of smoothing (PartialRelax) make of values that are all zero. One
/// makes of them
///
///   values(p) = ω source(p) / Σ g
/// at the points of `box`, of which those that are not free have per_total 0. Nothing of `values`
/// is read. In 3D devices take a second sweep in the same pass: then the source exists on
/// box.grown(1) as far as points are free there, and the conductances as a sweep of those asks for
/// them.
/// @param weights  ω of each sweep that may be taken; not empty
/// @param free     points that sweeps change
/// @returns  how many sweeps were taken
/// @throws Error  where the source or the values do not cover what is touched
template <class Real, int dimension>
std::size_t sweep_from_zero(Queue& queue, SolvedConductances<Real, dimension> const& of,
                            std::span<double const> weights, FieldView<Real const> source,
                            FieldView<Real> values, LocalBox box, LocalBox free);

}  // namespace isotherm
