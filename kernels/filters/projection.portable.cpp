#include "kernels/filters/projection.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"
#include "kernels/filters/lines.hpp"

namespace isotherm {

namespace {

/// Returns the first points of the lines of a box along an axis.
LocalBox first_of(LocalBox box, int axis) {
  box.upper[axis] = box.lower[axis] + 1;
  return box;
}

/// Reduces the line of `from` that begins at a point to one value.
template <class Real, class Reduce>
struct ReduceLine {
  FieldView<Real const> from;
  FieldView<Real> to;
  Reduce reduce;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    to(i, j, k) = reduce(&from(i, j, k));
  }
};

/// Reduces each line of a box along an axis to one value.
template <class Real, class Reduce>
void reduce_lines(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                  int axis, Reduce const& reduce) {
  if (box.empty()) return;
  LocalBox const first = first_of(box, axis);
  // The projection has index 0 along the axis.
  LocalBox target = first;
  target.lower[axis] = 0;
  target.upper[axis] = 1;
  require(from.box.contains(box) && to.box.contains(target),
          "a projection reaches past its fields");
  to.origin -= first.lower[axis] * stride_of(to, axis);  // both fields then have the same indices
  for_each_point(queue, first, ReduceLine<Real, Reduce>{from, to, reduce});
}

}  // namespace

template <class Real>
void sum_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
               double scale, bool half_ends) {
  LineSum<Real> const sum{stride_of(from, axis), box.extent()[axis], scale, half_ends ? 0.5 : 1.0};
  reduce_lines(queue, from, to, box, axis, sum);
}

template <class Real>
void extreme_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                   int axis, bool largest) {
  LineExtreme<Real> const extreme{stride_of(from, axis), box.extent()[axis], largest};
  reduce_lines(queue, from, to, box, axis, extreme);
}

template void sum_along(Queue&, FieldView<float const>, FieldView<float>, LocalBox, int, double,
                        bool);
template void sum_along(Queue&, FieldView<double const>, FieldView<double>, LocalBox, int, double,
                        bool);
template void extreme_along(Queue&, FieldView<float const>, FieldView<float>, LocalBox, int, bool);
template void extreme_along(Queue&, FieldView<double const>, FieldView<double>, LocalBox, int,
                            bool);

}  // namespace isotherm
