#include "kernels/conduction/correction_flow.hpp"

#include <limits>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// Makes the operator of a correction at a point.
template <class From, class To, int dimension>
struct SetCorrectionFlow {
  Conductances<From, dimension> of;
  From shift;
  LocalBox grid;
  FlowFields<To> flow;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    PointConductances<From, dimension> const point = of.row(j, k).point(i);
    From absorption = shift / point.per_volume + point.absorption;
    // NOLINTBEGIN(modernize-avoid-c-arrays): device code indexes them
    From const to_next[] = {point.east, point.north, point.above};
    From const to_previous[] = {point.west, point.south, point.below};
    // NOLINTEND(modernize-avoid-c-arrays)
    Index3 const p{i, j, k};
    for (int axis = 0; axis < dimension; ++axis) {
      // Beyond a face of the grid the correction is zero, so its conductance absorbs.
      bool const is_last = p[axis] + 1 == grid.upper[axis];
      From const within = is_last ? From{0} : to_next[axis];
      if (is_last) absorption += to_next[axis];
      if (p[axis] == grid.lower[axis]) absorption += to_previous[axis];
      bool const marked = axis == 0 && point.fixed;
      flow.along(axis)(i, j, k) = static_cast<To>(marked ? -within : within);
    }
    flow.absorption(i, j, k) = point.fixed ? To{0} : static_cast<To>(absorption);
  }
};

/// Computes the inverse diagonal at a point.
template <class Real, int dimension>
struct SetInverseDiagonal {
  Conductances<Real, dimension> of;
  FieldView<Real> per_total;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    PointConductances<Real, dimension> const point = of.row(j, k).point(i);
    Real const diagonal = point.total();
    // The reciprocal of a subnormal number may overflow.
    bool const is_normal = diagonal >= std::numeric_limits<Real>::min();
    per_total(i, j, k) = point.fixed || !is_normal ? Real{0} : Real{1} / diagonal;
  }
};

}  // namespace

template <class From, class To, int dimension>
void set_correction_flow(Queue& queue, Conductances<From, dimension> const& of, double shift,
                         LocalBox grid, FlowFields<To> const& flow, LocalBox box) {
  require(flow.x.box.contains(box) && of.x.box.contains(box),
          "a correction's operator reaches past its fields");
  SetCorrectionFlow<From, To, dimension> const set{of, static_cast<From>(shift), grid, flow};
  for_each_point(queue, box, set);
}

template <class Real, int dimension>
void set_per_total(Queue& queue, Conductances<Real, dimension> const& of, FieldView<Real> per_total,
                   LocalBox box) {
  require(per_total.box.contains(box) && of.x.box.contains(box),
          "an inverse diagonal reaches past its fields");
  for_each_point(queue, box, SetInverseDiagonal<Real, dimension>{of, per_total});
}

#define ISOTHERM_INSTANTIATE(From, To, dimension)                                         \
  template void set_correction_flow(Queue&, Conductances<From, dimension> const&, double, \
                                    LocalBox, FlowFields<To> const&, LocalBox);
ISOTHERM_INSTANTIATE(float, float, 2)
ISOTHERM_INSTANTIATE(float, float, 3)
ISOTHERM_INSTANTIATE(double, float, 2)
ISOTHERM_INSTANTIATE(double, float, 3)
ISOTHERM_INSTANTIATE(double, double, 2)
ISOTHERM_INSTANTIATE(double, double, 3)
#undef ISOTHERM_INSTANTIATE

template void set_per_total(Queue&, Conductances<float, 2> const&, FieldView<float>, LocalBox);
template void set_per_total(Queue&, Conductances<float, 3> const&, FieldView<float>, LocalBox);
template void set_per_total(Queue&, Conductances<double, 2> const&, FieldView<double>, LocalBox);
template void set_per_total(Queue&, Conductances<double, 3> const&, FieldView<double>, LocalBox);

}  // namespace isotherm
