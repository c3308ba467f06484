#pragma once

#include <span>

#include "kernels/core/field.hpp"
#include "kernels/core/queue.hpp"
#include "kernels/multigrid/residual.hpp"

namespace isotherm {

/// The most sweeps that relax_at_once() takes.
constexpr int most_sweeps_at_once = 4;

/// Weighted Jacobi sweeps of a correction e of (1 − Σ w · neighbours) e = source, in one pass over
/// memory.
template <class Real>
struct Relaxation {
  AxisWeights<Real> neighbours;
  std::span<double const> weights;   ///< of each sweep
  FieldView<Real const> correction;  ///< before; or none: zero
  FieldView<Real const> source;      ///< zero where points are not free
  FieldView<Real> out;               ///< the correction after
  FieldView<Real> rest;  ///< what it leaves of the source, in the frame of `out`; wanted, and only
                         ///< then, where the correction was zero
  LocalBox region;       ///< points that are written
  LocalBox free;         ///< points that change; reaches past `region` where neighbours change too
};

/// Whether a field of so many points is relaxed at once: not on the CPU, whose wavefronts take
/// sweeps by themselves (sweep()), and large ones not on devices that cannot run the deep sweep.
template <class Real>
bool relaxes_at_once(Queue const& queue, int dimension, std::int64_t points);

/// Enqueues the sweeps. What is read, `correction` or else `source`, must exist on
/// region.grown(most_sweeps_at_once), as far as points change there; `source` on one point less.
/// Neither overlaps `out` or `rest`, which have the same strides.
/// @throws Error  where it does not, or there are too many sweeps, or the backend does not
template <class Real>
void relax_at_once(Queue& queue, int dimension, Relaxation<Real> const& relaxation);

}  // namespace isotherm
