#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"

// Transfer between the grids of a multigrid hierarchy: restriction to a coarser grid and
// prolongation (interpolation) back.
//
// Both are tensor products: a point's stencil is the product of one stencil per axis. Each grid is
// uniform, but the points of two grids need not coincide. Every point of an axis therefore has its
// own stencil.

namespace isotherm {

/// Restriction along one axis: the fine points that contribute to a coarse point, and their
/// weights.
template <class Real>
struct RestrictionStencil {
  /// Maximum number of points of a stencil.
  static constexpr int maximum = 4;

  std::int64_t first = 0;      ///< first fine point, in the frame of the fine field
  std::int32_t count = 0;      ///< number of fine points
  Real weights[maximum] = {};  // NOLINT(modernize-avoid-c-arrays): for device code

  /// Returns the first point that the stencil reads.
  [[nodiscard]] std::int64_t begin() const { return first; }
  /// Returns the number of points that the stencil reads.
  [[nodiscard]] int points() const { return count; }
};

/// Prolongation along one axis: the two coarse points between which a fine point lies.
template <class Real>
struct ProlongationStencil {
  std::int64_t lower = 0;  ///< in the frame of the coarse field; the upper point is the next one
  Real share = 0;          ///< weight of the upper point; if it is 0, the upper point is not read

  /// Returns the first point that the stencil reads.
  [[nodiscard]] std::int64_t begin() const { return lower; }
  /// Returns the number of points that the stencil reads.
  [[nodiscard]] int points() const { return share != Real{0} ? 2 : 1; }
};

/// A stencil for each point of a box along each axis, in the queue's memory.
/// @pre Along an axis, neither the first nor the last point of successive stencils decreases.
template <class Stencil>
struct AxisStencils {
  Stencil const* x = nullptr;
  Stencil const* y = nullptr;
  Stencil const* z = nullptr;
  int widest = 4;  ///< maximum number of points of a stencil
};

/// Enqueues the restriction coarse(p) = factor · Σ weights · fine at the points of `box`. A coarse
/// point costs at most 64 fine values, or fewer if planes are shared.
/// @pre `fine` exists at all points of the stencils. This is not checked.
/// @throws Error  if `coarse` does not cover the box
template <class Real>
void restrict_field(Queue& queue, FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                    AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor);

/// Whether prolongated values replace the fine field or are added to it.
enum class ProlongationMode { replace, add };

/// Enqueues the prolongation by linear interpolation along each axis: the interpolated coarse field
/// replaces fine(p), or is added to it, at the points of `box`.
/// @pre `coarse` exists at all points of the stencils. This is not checked.
/// @throws Error  if `fine` does not cover the box
template <class Real>
void prolongate_field(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine,
                      LocalBox box, AxisStencils<ProlongationStencil<Real>> const& stencils,
                      ProlongationMode mode);

}  // namespace isotherm
