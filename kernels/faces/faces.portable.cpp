#include "kernels/faces/faces.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"
#include "kernels/faces/cpu/faces.hpp"
#include "kernels/faces/cuda/packing.hpp"
#include "kernels/faces/cuda/wrap.hpp"

namespace isotherm {

namespace {

/// Checks the packed boxes. Returns true if there are points to copy.
template <class Real, class Field>
bool check_packed_boxes(std::span<PackedBox<Real> const> packed_boxes, Field const& field) {
  // The list is a kernel parameter and has room for max_packed_boxes boxes.
  require(packed_boxes.size() <= max_packed_boxes,
          "more messages to pack than a box has neighbours");
  for (PackedBox<Real> const& packed_box : packed_boxes) {
    require(field.box.contains(packed_box.box),
            "the points to pack or unpack reach past the field");
  }
  return !std::ranges::all_of(packed_boxes,
                              [](auto const& packed_box) { return packed_box.box.empty(); });
}

/// Copies the mirrored value to a ghost point.
template <class Real>
struct Reflect {
  FieldView<Real> field;
  int axis;
  std::int64_t mirror;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 from{i, j, k};
    from[axis] = 2 * mirror - from[axis];
    field(i, j, k) = field(from.x, from.y, from.z);
  }
};

/// Copies the value of the last plane to a ghost point.
template <class Real>
struct Extend {
  FieldView<Real> field;
  int axis;
  std::int64_t last;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 from{i, j, k};
    from[axis] = last;
    field(i, j, k) = field(from.x, from.y, from.z);
  }
};

/// Sets a point to a value.
template <class Real>
struct Fill {
  FieldView<Real> field;
  Real value;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    field(i, j, k) = value;
  }
};

}  // namespace

template <class Real>
void pack(Queue& queue, FieldView<Real const> field,
          std::span<PackedBox<Real> const> packed_boxes) {
  if (!check_packed_boxes(packed_boxes, field)) return;
  dispatch(
      queue, [&] { cpu::pack(field, packed_boxes); },
      [&](auto) { cuda::pack(queue, field, packed_boxes); });
}

template <class Real>
void unpack(Queue& queue, std::span<PackedBox<Real const> const> packed_boxes,
            FieldView<Real> field) {
  if (!check_packed_boxes(packed_boxes, field)) return;
  dispatch(
      queue, [&] { cpu::unpack(packed_boxes, field); },
      [&](auto) { cuda::unpack(queue, packed_boxes, field); });
}

template <class Real>
void pack(Queue& queue, FieldView<Real const> field, LocalBox box, Real* dense) {
  PackedBox<Real> const packed_box{box, dense};
  pack<Real>(queue, field, {&packed_box, 1});
}

template <class Real>
void unpack(Queue& queue, Real const* dense, FieldView<Real> field, LocalBox box) {
  PackedBox<Real const> const packed_box{box, dense};
  unpack<Real>(queue, {&packed_box, 1}, field);
}

template <class Real>
void wrap(Queue& queue, FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox period) {
  require(boxes.size() <= max_wrapped_boxes, "more boxes to wrap than a box has neighbours");
  for (LocalBox const& box : boxes) {
    require(field.box.contains(box) && field.box.contains(period),
            "the points to wrap reach past the field");
    require(period.grown(period.extent()).contains(box),
            "the points to wrap lie more than a period away");
    // Otherwise the result would depend on the order of the copies.
    require(intersection(box, period).empty(), "the points to wrap are their own source");
  }
  // The CUDA kernel needs at least one point.
  if (std::ranges::all_of(boxes, &LocalBox::empty)) return;
  dispatch(
      queue, [&] { cpu::wrap(field, boxes, period); },
      [&](auto) { cuda::wrap(queue, field, boxes, period); });
}

template <class Real>
void reflect(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t mirror) {
  if (box.empty()) return;
  // The points whose values are reflected.
  LocalBox from = box;
  // Half-open: the first reflected point comes from the last source point.
  from.lower[axis] = 2 * mirror - box.upper[axis] + 1;
  from.upper[axis] = 2 * mirror - box.lower[axis] + 1;
  require(field.box.contains(box) && field.box.contains(from),
          "the points to reflect reach past the field");
  require(intersection(box, from).empty(), "the points to reflect lie on the mirror plane");
  for_each_point(queue, box, Reflect<Real>{field, axis, mirror});
}

template <class Real>
void extend(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t last) {
  if (box.empty()) return;
  LocalBox from = box;
  from.lower[axis] = last;
  from.upper[axis] = last + 1;
  require(field.box.contains(box) && field.box.contains(from),
          "the points to extrapolate to lie outside the field");
  require(intersection(box, from).empty(), "the points to extrapolate to overlap the source plane");
  for_each_point(queue, box, Extend<Real>{field, axis, last});
}

template <class Real>
void fill(Queue& queue, FieldView<Real> field, LocalBox box, Real value) {
  require(field.box.contains(box), "the points to fill reach past the field");
  for_each_point(queue, box, Fill<Real>{field, value});
}

#define ISOTHERM_INSTANTIATE(Real)                                                       \
  template void pack(Queue&, FieldView<Real const>, std::span<PackedBox<Real> const>);   \
  template void unpack(Queue&, std::span<PackedBox<Real const> const>, FieldView<Real>); \
  template void pack(Queue&, FieldView<Real const>, LocalBox, Real*);                    \
  template void unpack(Queue&, Real const*, FieldView<Real>, LocalBox);                  \
  template void wrap(Queue&, FieldView<Real>, std::span<LocalBox const>, LocalBox);      \
  template void reflect(Queue&, FieldView<Real>, LocalBox, int, std::int64_t);           \
  template void extend(Queue&, FieldView<Real>, LocalBox, int, std::int64_t);            \
  template void fill(Queue&, FieldView<Real>, LocalBox, Real);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
