#pragma once

#include "kernels/multigrid/packed/packed_operator.hpp"

namespace isotherm {

/// A pass over memory that smooths a correction e with a packed operator, in 3D. A sweep is
/// e ← e + ω (r − A e) / diagonal (weighted Jacobi).
enum class PackedPass {
  two_sweeps,
  three_sweeps_from_zero,  ///< e = 0 before; it is not read
  sweep_and_residual       ///< one sweep, and the residual r − A e after it
};

/// The fields of such a pass. All but the operator have the same layout.
///
/// The points of `free` change. Elsewhere, and at fixed points, corrections are zero and remain
/// zero; there the residual is zero, too.
struct PackedSmoothing {
  PackedOperator<PackedGroup const> op;
  FieldView<float const> correction;  ///< e before; none if it is zero
  FieldView<float const> source;      ///< r
  FieldView<float> out;               ///< e after
  FieldView<float> residual;          ///< for sweep_and_residual, otherwise none
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): device code indexes them
  float weights[3] = {};  ///< ω of each sweep
  LocalBox region;        ///< points that are written
  LocalBox free;          ///< points that change; extends beyond `region` if neighbours do
};

/// Returns the depth of the ghost layers that a pass reads.
constexpr int packed_depth(PackedPass pass) {
  return pass == PackedPass::three_sweeps_from_zero ? 3 : 2;
}

/// True if smooth_packed() runs on this queue: on CUDA devices of compute capability 8.0 or later
/// with enough shared memory.
bool has_packed_smoothing(Queue const& queue);

/// Enqueues a pass.
/// @pre The correction is zero outside `free`. `out` and `residual` overlap no other field.
/// @throws Error  if a field does not cover the points that the pass accesses, or the queue is on
///   the CPU
void smooth_packed(Queue& queue, PackedPass pass, PackedSmoothing const& by);

}  // namespace isotherm
