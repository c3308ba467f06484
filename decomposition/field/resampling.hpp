#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "decomposition/grid/grid.hpp"
#include "kernels/filters/interpolation.hpp"

namespace isotherm {

/// What lies between the points of an axis: polynomials of degree 1 through two of them, of degree
/// 3 through four, or a cubic spline through all.
enum class Curve { linear, cubic, spline };
/// As the user writes it.
std::string name(Curve curve);

/// How a field is moved before it is looked at.
struct Motion {
  PerAxis<double> shift{};    ///< in the grid's unit of length
  double rotation_deg = 0.0;  ///< about the middle of the field's box, from the x to the y axis
};

/// How the values at the points of one grid, the target, follow from those at another's, the
/// source.
struct Resampling {
  PlaceOfPoint place{};        ///< in the source, of the target's points
  PerAxis<Between> between{};  ///< of the source

  /// The source's points that the values at a box of the target's depend on: those around the
  /// places of its corners; all of an axis that is left by a way back.
  [[nodiscard]] GlobalBox needed(GlobalBox target) const;
  /// Those between which is interpolated: with splines also some beyond the source's ends.
  [[nodiscard]] GlobalBox nodes(GlobalBox target) const;
};

/// Why a field cannot be brought from one grid to another, for a message; empty where it can. Along
/// a graded axis both have to have the same points: nothing is interpolated there.
std::string obstacle_to_resampling(Grid const& source, Grid const& target,
                                   Motion const& motion = {});

/// @param beyond  what lies beyond the source's box; none: wrap on periodic axes, clamp on others
/// @throws InputError  where no number says where a point lies, or there is an obstacle
Resampling plan_resampling(Grid const& source, Grid const& target, Curve curve,
                           std::optional<Beyond> beyond = std::nullopt, Motion const& motion = {});

/// Enqueues the values at `box`, some points of the target.
/// @param from  the source's values at needed(box)
/// @param to    of as many points as `box`, the first of which is its first
template <class Real>
void resample_box(Queue& queue, Resampling resampling, GlobalBox box, FieldView<Real const> from,
                  FieldView<Real> to);

/// Bytes that this takes beside the two, at most, see Buffer::footprint.
std::size_t resampling_footprint(Backend backend, Resampling const& resampling, GlobalBox box);

}  // namespace isotherm
