#include "kernels/filters/interpolation.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"
#include "kernels/filters/polynomial.hpp"

namespace isotherm {

namespace {

/// Checks the numbers of nodes.
void check(PerAxis<AxisInterpolation> const& between) {
  for (AxisInterpolation const& axis : between) {
    bool const fits = axis.nodes >= 1 && axis.nodes <= 4 && axis.nodes <= axis.points;
    require(axis.spline ? axis.nodes == 4 : fits,
            "an interpolation uses 1 to 4 points per axis, at most as many as the axis has");
  }
}

}  // namespace

template <class Node, class Real>
void interpolate(Queue& queue, FieldView<Node const> from,
                 PerAxis<AxisInterpolation> const& between, FieldView<Real> to, LocalBox box,
                 PlaceOfPoint const& place) {
  check(between);
  require(to.box.contains(box), "the points to interpolate at reach past their field");
  Interpolate<Node, Real> const operation{from, between[0], between[1], between[2], to, place};
  for_each_point(queue, box, operation);
}

template void interpolate(Queue&, FieldView<float const>, PerAxis<AxisInterpolation> const&,
                          FieldView<float>, LocalBox, PlaceOfPoint const&);
template void interpolate(Queue&, FieldView<double const>, PerAxis<AxisInterpolation> const&,
                          FieldView<double>, LocalBox, PlaceOfPoint const&);
template void interpolate(Queue&, FieldView<double const>, PerAxis<AxisInterpolation> const&,
                          FieldView<float>, LocalBox, PlaceOfPoint const&);

}  // namespace isotherm
