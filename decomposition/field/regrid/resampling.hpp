#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "decomposition/grid/grid.hpp"
#include "kernels/filters/interpolation.hpp"

namespace isotherm {

/// The interpolation along an axis: polynomials of degree 1 through two points or of degree 3
/// through four points, a cubic spline through all points, or the value of the nearest point.
enum class Curve { linear, cubic, spline, nearest };
/// Returns the name that the user writes: "linear", "cubic", "spline" or "nearest".
std::string name(Curve curve);

/// A rigid motion of a field before it is resampled: first a rotation, then a shift.
struct Motion {
  PerAxis<double> shift{};    ///< in the grid's unit of length
  double rotation_deg = 0.0;  ///< about the centre of the field's box, from x towards y

  bool operator==(Motion const&) const = default;
};

/// The interpolation from one grid, the source, to another one, the target.
///
///     Resampling const plan = plan_resampling(source, target, Curve::cubic);
///     GlobalBox const known = plan.needed(box);        // copy these source values to `from`
///     resample_box<double>(queue, plan, box, from, to);
struct Resampling {
  PlaceOfPoint place{};                  ///< maps the target's points to places in the source
  PerAxis<AxisInterpolation> between{};  ///< interpolation along the source's axes

  /// The source points on which the values of a box of the target depend. If places lie beyond an
  /// end that wraps or mirrors, all points of that axis.
  [[nodiscard]] GlobalBox needed(GlobalBox target) const;
  /// The interpolation nodes around these places. Splines also have nodes beyond the source's ends.
  [[nodiscard]] GlobalBox nodes(GlobalBox target) const;
};

/// Returns the reason why a field cannot be resampled, for a message; empty if it can. A graded
/// axis is never interpolated: both grids must have the same points there, and the motion must not
/// move them.
std::string obstacle_to_resampling(Grid const& source, Grid const& target,
                                   Motion const& motion = {});

/// Prepares resampling from `source` to `target`.
/// @param edge_mode  the values beyond the source's box; nullopt: wrap on periodic axes, clamp on
///   others
/// @throws InputError  if a place is not a finite number, or if there is an obstacle
Resampling plan_resampling(Grid const& source, Grid const& target, Curve curve,
                           std::optional<EdgeMode> edge_mode = std::nullopt,
                           Motion const& motion = {});

/// Enqueues resampling to `box`, some points of the target. With splines it waits for the queue.
/// @param from  the source's values at needed(box)
/// @param to  as many points as `box`; local point (0, 0, 0) is the first point of `box`
template <class Real>
void resample_box(Queue& queue, Resampling resampling, GlobalBox box, FieldView<Real const> from,
                  FieldView<Real> to);

/// Does the same by the texture units of a GPU, linearly or by the nearest point, as
/// TextureSampler does. Waits for the queue.
/// @pre `from` has more than one point along x and y
/// @throws Error  if the queue is not of CUDA, or an axis wraps
void resample_box_by_texture(Queue& queue, Resampling resampling, GlobalBox box,
                             FieldView<float const> from, FieldView<float> to);

/// Returns an upper bound on the memory in bytes that resample_box() allocates in addition to its
/// two fields; see Buffer::footprint.
std::size_t resampling_footprint(Backend backend, Resampling const& resampling, GlobalBox box);

}  // namespace isotherm
