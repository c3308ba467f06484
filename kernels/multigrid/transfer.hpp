#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue.hpp"

// Values go from a grid to a coarser one and back axis by axis: what a point takes from the other
// grid is a product of one stencil for each axis. The two grids are uniform, each by itself, so
// their points need not coincide; so every point of an axis has a stencil of its own.

namespace isotherm {

/// The fine points that a coarse point gathers from along an axis, and their weights.
template <class Real>
struct RestrictionStencil {
  static constexpr int most = 4;

  std::int64_t first = 0;  ///< in the frame of the fine field
  std::int32_t count = 0;
  Real weights[most] = {};  // NOLINT(modernize-avoid-c-arrays): for device code

  [[nodiscard]] std::int64_t begin() const { return first; }
  [[nodiscard]] int points() const { return count; }
};

/// The two coarse points between which a fine point lies along an axis.
template <class Real>
struct InterpolationStencil {
  std::int64_t lower = 0;  ///< in the frame of the coarse field; the other one is the next
  Real share = 0;          ///< of the upper one; 0: it is not looked at

  [[nodiscard]] std::int64_t begin() const { return lower; }
  [[nodiscard]] int points() const { return share != Real{0} ? 2 : 1; }
};

/// A stencil for each point of a box along each axis, in the queue's memory. A point's stencil
/// neither begins nor ends before that of the point before it.
template <class Stencil>
struct AxisStencils {
  Stencil const* x = nullptr;
  Stencil const* y = nullptr;
  Stencil const* z = nullptr;
  int widest = 4;  ///< no stencil takes from more points
};

/// Enqueues coarse(p) = factor · Σ weights · fine at the points of `box`.
template <class Real>
void restrict_to(Queue& queue, FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                 AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor);

/// What becomes of the values of points that are interpolated to.
enum class Interpolated { replace, add };

/// Enqueues fine(p) = (or +=) the coarse field at that place, linear along each axis, at the points
/// of `box`.
template <class Real>
void interpolate_to(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                    AxisStencils<InterpolationStencil<Real>> const& stencils, Interpolated mode);

}  // namespace isotherm
