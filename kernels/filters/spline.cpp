#include "kernels/filters/spline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <utility>
#include <vector>

#include "kernels/core/queue/queue.hpp"
#include "kernels/filters/convolution.hpp"
#include "kernels/filters/padding.hpp"

namespace isotherm {

namespace {

/// Returns the weights of the convolution that converts values to spline coefficients.
///
/// A spline with coefficients c has the value (c₋₁ + 4 c₀ + c₁) / 6 at a point. The inverse is a
/// convolution with √3 z^|m|. Here z = √3 − 2 is the root of 1 + 4 z + z² inside the unit circle.
/// This inverse is exact on an unbounded axis.
std::vector<double> inverse_of_spline() {
  double const root = std::numbers::sqrt3 - 2.0;
  std::vector<double> weights;
  // The omitted weights sum to less than 1e-17.
  for (int m = -spline_reach; m <= spline_reach; ++m) {
    weights.push_back(std::numbers::sqrt3 * std::pow(root, std::abs(m)));
  }
  return weights;
}

/// The computation of coefficients along one axis.
struct Step {
  int axis;
  GlobalBox made;  ///< the points of the result
};

/// Returns the computations for all axes that have a spline, in order.
std::vector<Step> steps(PerAxis<AxisInterpolation> const& between, GlobalBox known,
                        GlobalBox nodes) {
  std::vector<Step> all;
  for (int axis = 0; axis < 3; ++axis) {
    if (!between[axis].spline) continue;
    // After each step, the box along its axis is that of the nodes.
    known.lower[axis] = nodes.lower[axis];
    known.upper[axis] = nodes.upper[axis];
    all.push_back({axis, known});
  }
  return all;
}

/// Returns a halo of spline_reach points along an axis.
Index3 reach_along(int axis) {
  Index3 reach;
  reach[axis] = spline_reach;
  return reach;
}

/// Returns how the input at `box` is extended: beyond the ends of the step's axis, and not at all
/// along the others. Earlier steps have already extended those.
PerAxis<AxisPadding> ends_of(Step const& step, AxisInterpolation const& between, GlobalBox box) {
  PerAxis<AxisPadding> ends{};
  for (int axis = 0; axis < 3; ++axis) ends[axis].points = box.extent()[axis];
  ends[step.axis] = {between.points, between.edge_mode, box.lower[step.axis],
                     step.made.lower[step.axis]};
  return ends;
}

/// Computes the coefficients along one axis: extends the values by their surroundings, then
/// convolves.
template <class Real>
Field<double> coefficients_along(Queue& queue, Step const& step, AxisInterpolation const& between,
                                 FieldView<Real const> from, GlobalBox box) {
  Field<double> around(queue, step.made.extent(), reach_along(step.axis));
  pad(queue, from, around.view(), ends_of(step, between, box));
  Field<double> made(queue, step.made.extent(), {});
  convolve<double>(queue, std::as_const(around).view(), made.view(), made.owned(), step.axis,
                   inverse_of_spline());
  queue.wait();  // the extended values are released here
  return made;
}

}  // namespace

template <class Real>
std::optional<Field<double>> spline_coefficients(Queue& queue,
                                                 PerAxis<AxisInterpolation> const& between,
                                                 FieldView<Real const> from, GlobalBox known,
                                                 GlobalBox nodes) {
  std::optional<Field<double>> made;
  for (Step const& step : steps(between, known, nodes)) {
    AxisInterpolation const& along = between[step.axis];
    made = made ? coefficients_along(queue, step, along, std::as_const(*made).view(), known)
                : coefficients_along(queue, step, along, from, known);
    known = step.made;
  }
  return made;
}

std::size_t spline_footprint(Backend backend, PerAxis<AxisInterpolation> const& between,
                             GlobalBox known, GlobalBox nodes) {
  std::size_t maximum = 0;
  std::size_t before = 0;
  for (Step const& step : steps(between, known, nodes)) {
    Extent3 const extent = step.made.extent();
    // During a step three fields exist: the previous result, the extended values and the new
    // result.
    std::size_t const made = Field<double>::footprint(backend, extent, {});
    std::size_t const around = Field<double>::footprint(backend, extent, reach_along(step.axis));
    maximum = std::max(maximum, sum_of_bytes(before, sum_of_bytes(around, made)));
    before = made;
  }
  return maximum;
}

template std::optional<Field<double>> spline_coefficients(Queue&, PerAxis<AxisInterpolation> const&,
                                                          FieldView<float const>, GlobalBox,
                                                          GlobalBox);
template std::optional<Field<double>> spline_coefficients(Queue&, PerAxis<AxisInterpolation> const&,
                                                          FieldView<double const>, GlobalBox,
                                                          GlobalBox);

}  // namespace isotherm
