#include "kernels/filters/lines/projection.hpp"

#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"
#include "kernels/filters/lines/line_sums.hpp"

namespace isotherm {

namespace {

/// Returns the first points of the lines of a box along an axis.
LocalBox first_of(LocalBox box, int axis) {
  box.upper[axis] = box.lower[axis] + 1;
  return box;
}

/// Sums one block of a line. The point's index along the axis is the number of the block, and the
/// others count from the start of the box.
template <class Real>
struct SumBlocks {
  FieldView<Real const> from;
  FieldView<double> sums;
  Index3 first;
  int axis;
  BlockSum<Real> sum;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 p{i, j, k};
    std::int64_t const block = p[axis];
    p[axis] = 0;
    Real const* const line = &from(first.x + p.x, first.y + p.y, first.z + p.z);
    sums(i, j, k) = sum(line, block);
  }
};

/// Adds the sums of a line's blocks in their order, and scales the result.
template <class Real>
struct AddBlocks {
  std::int64_t stride;
  std::int64_t count;
  double scale;

  ISOTHERM_HOST_DEVICE Real operator()(double const* sum) const {
    double total = *sum;
    for (std::int64_t m = 1; m < count; ++m) {
      sum += stride;
      total += *sum;
    }
    return static_cast<Real>(scale * total);
  }
};

/// Returns a view of a projection whose indices count from the start of a box, except along the
/// axis.
template <class Real>
FieldView<Real> shifted(FieldView<Real> to, Index3 first, int axis) {
  first[axis] = 0;
  to.origin += first.x + first.y * to.stride_y + first.z * to.stride_z;
  to.box.lower = to.box.lower - first;
  to.box.upper = to.box.upper - first;
  return to;
}

/// Reduces the line of `from` that begins at a point to one value.
template <class From, class Real, class Reduce>
struct ReduceLine {
  FieldView<From const> from;
  FieldView<Real> to;
  Reduce reduce;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    to(i, j, k) = reduce(&from(i, j, k));
  }
};

/// Reduces each line of a box along an axis to one value.
template <class Real, class From, class Reduce>
void reduce_lines(Queue& queue, FieldView<From const> from, FieldView<Real> to, LocalBox box,
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
  for_each_point(queue, first, ReduceLine<From, Real, Reduce>{from, to, reduce});
}

}  // namespace

std::size_t sum_footprint(Backend backend, Extent3 extent, int axis) {
  extent[axis] = line_blocks(extent[axis]);
  return Field<double>::footprint(backend, extent, {});
}

template <class Real>
void sum_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
               double scale, bool half_ends) {
  if (box.empty()) return;
  require(from.box.contains(box), "a projection reaches past its fields");
  Extent3 blocks = box.extent();
  blocks[axis] = line_blocks(blocks[axis]);
  Field<double> sums(queue, blocks, {});
  BlockSum<Real> const sum{stride_of(from, axis), box.extent()[axis], half_ends ? 0.5 : 1.0};
  for_each_point(queue, sums.owned(), SumBlocks<Real>{from, sums.view(), box.lower, axis, sum});
  reduce_lines<Real>(queue, std::as_const(sums).view(), shifted(to, box.lower, axis), sums.owned(),
                     axis, AddBlocks<Real>{stride_of(sums.view(), axis), blocks[axis], scale});
  queue.wait();  // `sums` is freed on return
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
