#pragma once

#include <span>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/multigrid/residual.hpp"

namespace isotherm {

/// Maximum number of sweeps that fused_smoothing() performs.
constexpr int max_fused_sweeps = 4;

/// Fused smoothing (temporal blocking): several weighted Jacobi sweeps of a correction e for (1 − Σ
/// w · neighbours) e = source, in one pass over memory.
///
/// Boxes and fields are in local indices. Results agree with separate sweeps up to rounding, since
/// the sweeps are applied to the residual (SummedRelax).
template <class Real>
struct FusedSmoothing {
  AxisWeights<Real> neighbours;      ///< w
  std::span<double const> weights;   ///< relaxation factor of each sweep
  FieldView<Real const> correction;  ///< correction before the sweeps; none: zero
  FieldView<Real const> source;      ///< zero at points that are not free
  FieldView<Real> out;               ///< correction after the sweeps
  FieldView<Real> rest;              ///< remaining residual, in the frame of `out`; required if
                                     ///< there is no initial correction, otherwise none
  LocalBox region;                   ///< points that are written
  LocalBox free;  ///< points that change; extends beyond `region` if neighbours change as well
};

/// Returns true if fused_smoothing() supports fields of so many points on this queue.
///
/// False on the CPU, whose wavefront plans fuse sweeps in sweep(). On CUDA, large 3D fields need a
/// device that can run the temporally blocked sweep.
template <class Real>
bool has_fused_smoothing(Queue const& queue, int dimension, std::int64_t points);

/// Enqueues the sweeps.
///
/// The input, which is `correction` or, if there is none, `source`, must exist on
/// region.grown(max_fused_sweeps) as far as points change there. `source` must exist on one
/// layer less.
/// @pre The input overlaps neither `out` nor `rest`. These two have the same strides.
/// @throws Error  if the input is too small, there are too many sweeps, or the queue is on the CPU
template <class Real>
void fused_smoothing(Queue& queue, int dimension, FusedSmoothing<Real> const& relaxation);

}  // namespace isotherm
