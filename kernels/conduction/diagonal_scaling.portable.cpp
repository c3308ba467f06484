#include "kernels/conduction/diagonal_scaling.hpp"

#include <cmath>
#include <limits>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// Computes the factor of a point.
template <class From, class To, int dimension>
struct SetDiagonalScaling {
  Conductances<From, dimension> conductances;
  SeparableConductances<From, dimension> reference;
  FieldView<To> scale;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    PointConductances<From, dimension> const point = conductances.row(j, k).point(i);
    From const diagonal = point.total();
    bool const is_normal = diagonal >= std::numeric_limits<From>::min();
    From const wanted = reference.row(j, k).point(i).total();
    scale(i, j, k) =
        point.fixed || !is_normal ? To{0} : static_cast<To>(std::sqrt(wanted / diagonal));
  }
};

/// Multiplies two values.
template <class Real>
struct Multiply {
  FieldView<Real const> a;
  FieldView<Real const> b;
  FieldView<Real> product;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    product(i, j, k) = a(i, j, k) * b(i, j, k);
  }
};

}  // namespace

template <class From, class To, int dimension>
void set_diagonal_scaling(Queue& queue, Conductances<From, dimension> const& conductances,
                          SeparableConductances<From, dimension> const& reference,
                          FieldView<To> scale, LocalBox box) {
  require(scale.box.contains(box) && conductances.x.box.contains(box),
          "a diagonal scaling reaches past its fields");
  for_each_point(queue, box,
                 SetDiagonalScaling<From, To, dimension>{conductances, reference, scale});
}

template <class Real>
void multiply(Queue& queue, FieldView<Real const> a, FieldView<Real const> b,
              FieldView<Real> product, LocalBox box) {
  require(a.box.contains(box) && b.box.contains(box) && product.box.contains(box),
          "a product reaches past its fields");
  for_each_point_in_columns(queue, box, Multiply<Real>{a, b, product});
}

#define ISOTHERM_INSTANTIATE(From, To, dimension)                                                  \
  template void set_diagonal_scaling(Queue&, Conductances<From, dimension> const&,                 \
                                     SeparableConductances<From, dimension> const&, FieldView<To>, \
                                     LocalBox);
ISOTHERM_INSTANTIATE(float, float, 2)
ISOTHERM_INSTANTIATE(float, float, 3)
ISOTHERM_INSTANTIATE(double, float, 2)
ISOTHERM_INSTANTIATE(double, float, 3)
ISOTHERM_INSTANTIATE(double, double, 2)
ISOTHERM_INSTANTIATE(double, double, 3)
#undef ISOTHERM_INSTANTIATE

template void multiply(Queue&, FieldView<float const>, FieldView<float const>, FieldView<float>,
                       LocalBox);
template void multiply(Queue&, FieldView<double const>, FieldView<double const>, FieldView<double>,
                       LocalBox);

}  // namespace isotherm
