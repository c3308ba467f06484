#include "decomposition/field/regrid/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/filters/padding.hpp"
#include "kernels/filters/spline.hpp"
#include "kernels/memories/texture_sampling.hpp"

namespace isotherm {

namespace {

/// Throws InputError unless the places of all points are finite.
void check(PlaceOfPoint const& place, Extent3 points) {
  for (int a = 0; a < 3; ++a) {
    double farthest = std::abs(place.offset[a]);
    for (int b = 0; b < 3; ++b) {
      farthest += std::abs(place.step[a][b]) * static_cast<double>(points[b]);
    }
    if (!std::isfinite(farthest)) throw InputError("give coordinates that are not finite");
  }
}

/// True if the motion changes coordinates along an axis. A rotation changes x and y.
bool is_moved(int axis, Motion const& motion) {
  return motion.shift[axis] != 0.0 || (axis < 2 && motion.rotation_deg != 0.0);
}

/// Returns the affine map from target points to source places, in spacings from the source's first
/// point. The value of a moved field at x is that of the original field at the inverse motion of x:
/// place = R⁻¹ (x − shift − centre) + centre.
PlaceOfPoint place_of_points(Grid const& source, Grid const& target, Motion const& motion) {
  double const angle = motion.rotation_deg * std::numbers::pi / 180.0;
  // Without a rotation the matrix is exactly the identity, and the centre drops out.
  bool const turns = motion.rotation_deg != 0.0;
  double const cosine = turns ? std::cos(angle) : 1.0;
  double const sine = turns ? std::sin(angle) : 0.0;
  // The inverse rotation, R⁻¹ = Rᵀ.
  PerAxis<PerAxis<double>> const back{
      PerAxis<double>{cosine, sine, 0.0}, {-sine, cosine, 0.0}, {0.0, 0.0, 1.0}};
  PlaceOfPoint place{};
  for (int a = 0; a < 3; ++a) {
    double const middle = turns ? source.lower[a] + 0.5 * source.length(a) : 0.0;
    double at = middle - source.lower[a];
    for (int b = 0; b < 3; ++b) {
      double const middle_b = turns ? source.lower[b] + 0.5 * source.length(b) : 0.0;
      at += back[a][b] * (target.lower[b] - motion.shift[b] - middle_b);
      place.step[a][b] = back[a][b] * target.spacing[b] / source.spacing[a];
    }
    place.offset[a] = at / source.spacing[a];
    if (!source.is_graded(a)) continue;
    // A graded axis has the same points in both grids.
    for (int b = 0; b < 3; ++b) place.step[a][b] = a == b ? 1.0 : 0.0;
    place.offset[a] = 0.0;
  }
  check(place, target.points);
  return place;
}

/// Returns the interpolation along each axis. A polynomial has no more nodes than the axis has
/// points; an axis of one point needs no spline.
PerAxis<AxisInterpolation> between_points(Grid const& source, Curve curve,
                                          std::optional<EdgeMode> edge_mode) {
  PerAxis<AxisInterpolation> between{};
  for (int axis = 0; axis < 3; ++axis) {
    EdgeMode const usual = source.periodic[axis] ? EdgeMode::wrap : EdgeMode::clamp;
    std::int64_t const points = source.points[axis];
    between[axis].points = points;
    // A spline has four nodes on any axis, since its coefficients extend beyond the ends.
    between[axis].spline = curve == Curve::spline && points > 1;
    int const nodes = curve == Curve::nearest ? 1 : curve == Curve::linear ? 2 : 4;
    between[axis].nodes =
        between[axis].spline ? nodes : static_cast<int>(std::min<std::int64_t>(nodes, points));
    between[axis].edge_mode = axis < source.dimension ? edge_mode.value_or(usual) : usual;
  }
  return between;
}

/// Returns the half-open range of points that a polynomial needs for places from `minimum` to
/// `maximum`. If places lie beyond an end that wraps or mirrors, any point of the axis may be
/// needed. The range then covers the whole axis.
std::pair<std::int64_t, std::int64_t> nodes_between(double minimum, double maximum,
                                                    AxisInterpolation const& axis) {
  auto const last = static_cast<double>(axis.points - 1);
  auto const nodes = static_cast<double>(axis.nodes);
  bool const goes_back = axis.edge_mode == EdgeMode::wrap || axis.edge_mode == EdgeMode::mirror;
  double const margin =
      axis.edge_mode == EdgeMode::wrap ? nodes : -1e-6;  // nodes near an end wrap, too
  // The margin of −10⁻⁶ tolerates rounding at a mirrored end.
  if (goes_back && (minimum < margin || maximum > last - margin)) return {0, axis.points};
  // A generous margin of `nodes` points on both sides, clamped to the axis.
  double const first = std::clamp(std::floor(minimum) - nodes, 0.0, std::max(0.0, last - nodes));
  double const end = std::clamp(std::ceil(maximum) + nodes, std::min(last, nodes), last);
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end) + 1};
}

/// The same for a spline, which also has coefficients for points beyond the ends.
std::pair<std::int64_t, std::int64_t> spline_nodes_between(double minimum, double maximum,
                                                           AxisInterpolation const& axis) {
  constexpr double around = 3.0;  // the four nodes of a place, despite rounding of the place
  auto const last = static_cast<double>(axis.points - 1);
  bool const goes_back = axis.edge_mode == EdgeMode::wrap || axis.edge_mode == EdgeMode::mirror;
  std::pair<std::int64_t, std::int64_t> const all{-1, axis.points + 2};
  double const margin = axis.edge_mode == EdgeMode::wrap ? around : -1e-6;
  if (goes_back && (minimum < margin || maximum > last - margin)) return all;
  double const reach = goes_back ? 0.0 : spline_reach;
  double const first = std::floor(std::clamp(minimum, -reach, last + reach)) - around;
  double const end = std::ceil(std::clamp(maximum, -reach, last + reach)) + around + 1.0;
  std::pair<std::int64_t, std::int64_t> const nodes{first, end};
  if (!goes_back) return nodes;
  return {std::max(nodes.first, all.first), std::min(nodes.second, all.second)};
}

}  // namespace

std::string name(Curve curve) {
  switch (curve) {
    case Curve::linear:
      return "linear";
    case Curve::cubic:
      return "cubic";
    case Curve::nearest:
      return "nearest";
    default:
      return "spline";
  }
}

GlobalBox Resampling::nodes(GlobalBox target) const {
  GlobalBox box{};
  for (int a = 0; a < 3; ++a) {
    // The extremes of an affine map over a box: each term contributes at one of the box's corners.
    double minimum = place.offset[a];
    double maximum = place.offset[a];
    for (int b = 0; b < 3; ++b) {
      double const first = place.step[a][b] * static_cast<double>(target.lower[b]);
      double const last = place.step[a][b] * static_cast<double>(target.upper[b] - 1);
      minimum += std::min(first, last);
      maximum += std::max(first, last);
    }
    std::tie(box.lower[a], box.upper[a]) = between[a].spline
                                               ? spline_nodes_between(minimum, maximum, between[a])
                                               : nodes_between(minimum, maximum, between[a]);
  }
  return box;
}

GlobalBox Resampling::needed(GlobalBox target) const {
  GlobalBox box = nodes(target);
  for (int a = 0; a < 3; ++a) {
    if (!between[a].spline) continue;
    std::tie(box.lower[a], box.upper[a]) =
        padding_source_range(box.lower[a] - spline_reach, box.upper[a] + spline_reach,
                             between[a].points, between[a].edge_mode);
  }
  return box;
}

std::string obstacle_to_resampling(Grid const& source, Grid const& target, Motion const& motion) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!source.is_graded(axis) && !target.is_graded(axis)) continue;
    if (source.graded[axis] == target.graded[axis] && !is_moved(axis, motion)) continue;
    return std::string("the spacing varies on the ") + "xyz"[axis] +
           " axis, and graded axes are not interpolated (both grids need the same points there)";
  }
  return "";
}

Resampling plan_resampling(Grid const& source, Grid const& target, Curve curve,
                           std::optional<EdgeMode> edge_mode, Motion const& motion) {
  if (auto const obstacle = obstacle_to_resampling(source, target, motion); !obstacle.empty()) {
    throw InputError(obstacle);
  }
  return {place_of_points(source, target, motion), between_points(source, curve, edge_mode)};
}

template <class Real>
void resample_box(Queue& queue, Resampling resampling, GlobalBox box, FieldView<Real const> from,
                  FieldView<Real> to) {
  GlobalBox const nodes = resampling.nodes(box);
  PerAxis<AxisInterpolation>& between = resampling.between;
  // Local index 0 of the source's view is the first node.
  for (int axis = 0; axis < 3; ++axis) between[axis].first = nodes.lower[axis];
  resampling.place.first = box.lower;
  LocalBox const all{{}, box.extent()};
  auto const coefficients =
      spline_coefficients(queue, between, from, resampling.needed(box), nodes);
  if (!coefficients) return interpolate<Real>(queue, from, between, to, all, resampling.place);
  interpolate<double>(queue, coefficients->view(), between, to, all, resampling.place);
  queue.wait();  // `coefficients` is freed on return
}

void resample_box_by_texture(Queue& queue, Resampling resampling, GlobalBox box,
                             FieldView<float const> from, FieldView<float> to) {
  GlobalBox const nodes = resampling.nodes(box);
  bool is_nearest = false;
  for (int axis = 0; axis < 3; ++axis) {
    AxisInterpolation& along = resampling.between[axis];
    along.first = nodes.lower[axis];
    is_nearest = is_nearest || (along.points > 1 && along.nodes == 1);
  }
  resampling.place.first = box.lower;
  TextureSampler const sampler(queue, from, resampling.between,
                               is_nearest ? TextureFilter::nearest : TextureFilter::linear);
  sampler.sample(to, {{}, box.extent()}, resampling.place);
  queue.wait();  // the texture is freed on return
}

std::size_t resampling_footprint(Backend backend, Resampling const& resampling, GlobalBox box) {
  return spline_footprint(backend, resampling.between, resampling.needed(box),
                          resampling.nodes(box));
}

template void resample_box(Queue&, Resampling, GlobalBox, FieldView<float const>, FieldView<float>);
template void resample_box(Queue&, Resampling, GlobalBox, FieldView<double const>,
                           FieldView<double>);

}  // namespace isotherm
