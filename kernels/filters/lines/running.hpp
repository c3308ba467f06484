#pragma once

#include <cstddef>
#include <span>

#include "kernels/core/field.hpp"

namespace isotherm {

/// What a running operation makes of the values of a line up to a point, that point included.
enum class Running {
  integral,  ///< by the trapezoidal rule; 0 at the first point
  mean,      ///< the integral divided by the length; the value itself at the first point
  sum,
  maximum,  ///< NaN from the first NaN on
  minimum
};

/// Returns an upper bound on the memory of the backend that running_along() uses while it works.
std::size_t running_footprint(Backend backend, Extent3 extent, int axis);

/// Enqueues to(p) = the running value of the points of `box` on the line through p along `axis`,
/// from the first one to p. On CUDA the call waits for the work to end.
///
/// A line is divided into blocks of 64 points (a scan by blocks: G. E. Blelloch, Prefix sums and
/// their applications, 1990). Each block is reduced, then the results of the blocks are scanned,
/// then each block is scanned from the result of those before it. All is computed in float64 and
/// rounded once. The order of the operations depends on the places in the line only, so the bits
/// are the same on every backend.
///
///   running_along<float>(queue, from, to, box, 2, Running::integral, gaps);
///
/// @param gaps  for integrals and means: gaps[m] is the distance between the points m − 1 and m of
///              a line, in the unit of length; gaps[0] is not used
/// @pre `from` and `to` do not overlap.
/// @throws Error  if `box` reaches past a field, or the number of gaps is not that of its points
template <class Real>
void running_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                   int axis, Running what, std::span<double const> gaps);

}  // namespace isotherm
