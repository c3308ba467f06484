#include "kernels/conduction/correction_operator.hpp"

#include <limits>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// Makes the operator of a correction at a point.
template <class From, class To, int dimension>
struct SetCorrectionOperator {
  Conductances<From, dimension> conductances;
  From shift;
  LocalBox grid;
  OperatorFields<To> flow;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    PointConductances<From, dimension> const point = conductances.row(j, k).point(i);
    From reaction = shift / point.inverse_heat_capacity + point.reaction;
    // NOLINTBEGIN(modernize-avoid-c-arrays): device code indexes them
    From const to_next[] = {point.east, point.north, point.above};
    From const to_previous[] = {point.west, point.south, point.below};
    // NOLINTEND(modernize-avoid-c-arrays)
    Index3 const p{i, j, k};
    for (int axis = 0; axis < dimension; ++axis) {
      // Beyond a face of the grid the correction is zero: the conductance is a reaction term.
      bool const is_last = p[axis] + 1 == grid.upper[axis];
      From const within = is_last ? From{0} : to_next[axis];
      if (is_last) reaction += to_next[axis];
      if (p[axis] == grid.lower[axis]) reaction += to_previous[axis];
      bool const marked = axis == 0 && point.fixed;
      flow.along(axis)(i, j, k) = static_cast<To>(marked ? -within : within);
    }
    flow.reaction(i, j, k) = point.fixed ? To{0} : static_cast<To>(reaction);
  }
};

/// Computes the inverse diagonal at a point.
template <class Real, int dimension>
struct SetInverseDiagonal {
  Conductances<Real, dimension> conductances;
  FieldView<Real> inverse_diagonal;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    PointConductances<Real, dimension> const point = conductances.row(j, k).point(i);
    Real const diagonal = point.total();
    // The reciprocal of a subnormal number may overflow.
    bool const is_normal = diagonal >= std::numeric_limits<Real>::min();
    inverse_diagonal(i, j, k) = point.fixed || !is_normal ? Real{0} : Real{1} / diagonal;
  }
};

}  // namespace

template <class From, class To, int dimension>
void set_correction_operator(Queue& queue, Conductances<From, dimension> const& conductances,
                             double shift, LocalBox grid, OperatorFields<To> const& flow,
                             LocalBox box) {
  require(flow.x.box.contains(box) && conductances.x.box.contains(box),
          "a correction's operator reaches past its fields");
  SetCorrectionOperator<From, To, dimension> const set{conductances, static_cast<From>(shift), grid,
                                                       flow};
  for_each_point_in_columns(queue, box, set);
}

template <class Real, int dimension>
void set_inverse_diagonal(Queue& queue, Conductances<Real, dimension> const& conductances,
                          FieldView<Real> inverse_diagonal, LocalBox box) {
  require(inverse_diagonal.box.contains(box) && conductances.x.box.contains(box),
          "an inverse diagonal reaches past its fields");
  for_each_point_in_columns(queue, box,
                            SetInverseDiagonal<Real, dimension>{conductances, inverse_diagonal});
}

#define ISOTHERM_INSTANTIATE(From, To, dimension)                                             \
  template void set_correction_operator(Queue&, Conductances<From, dimension> const&, double, \
                                        LocalBox, OperatorFields<To> const&, LocalBox);
ISOTHERM_INSTANTIATE(float, float, 2)
ISOTHERM_INSTANTIATE(float, float, 3)
ISOTHERM_INSTANTIATE(double, float, 2)
ISOTHERM_INSTANTIATE(double, float, 3)
ISOTHERM_INSTANTIATE(double, double, 2)
ISOTHERM_INSTANTIATE(double, double, 3)
#undef ISOTHERM_INSTANTIATE

template void set_inverse_diagonal(Queue&, Conductances<float, 2> const&, FieldView<float>,
                                   LocalBox);
template void set_inverse_diagonal(Queue&, Conductances<float, 3> const&, FieldView<float>,
                                   LocalBox);
template void set_inverse_diagonal(Queue&, Conductances<double, 2> const&, FieldView<double>,
                                   LocalBox);
template void set_inverse_diagonal(Queue&, Conductances<double, 3> const&, FieldView<double>,
                                   LocalBox);

}  // namespace isotherm
