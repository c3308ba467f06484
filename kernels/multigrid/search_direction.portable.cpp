#include "kernels/multigrid/search_direction.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"
#include "kernels/multigrid/instances.hpp"

namespace isotherm {

namespace {

/// Adds the products of a point's values to the inner products.
template <class Correction, class Real>
struct AddProducts {
  FieldView<Correction const> a;
  FieldView<Real const> b;
  FieldView<Real const> c;  ///< or none

  ISOTHERM_INLINE void operator()(InnerProducts& sums, std::int64_t i, std::int64_t j,
                                  std::int64_t k) const {
    auto const value = static_cast<double>(b(i, j, k));
    sums.ab += static_cast<double>(a(i, j, k)) * value;
    if (c) sums.bc += value * static_cast<double>(c(i, j, k));
  }
};

/// Updates the search direction at a point: direction ← scale · correction + keep · direction.
template <class Correction, class Real>
struct SetDirection {
  FieldView<Correction const> correction;
  double scale;
  FieldView<Real> direction;
  double keep;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Real& to = direction(i, j, k);
    // Without a factor the old direction may be anything, even NaN.
    double const kept = keep != 0.0 ? keep * static_cast<double>(to) : 0.0;
    to = static_cast<Real>(scale * static_cast<double>(correction(i, j, k)) + kept);
  }
};

}  // namespace

template <class Correction, class Real>
InnerProducts FieldInnerProducts::of(Queue& queue, FieldView<Correction const> a,
                                     FieldView<Real const> b, FieldView<Real const> c,
                                     LocalBox box) {
  require(a.box.contains(box) && b.box.contains(box) && (!c || c.box.contains(box)),
          "a product reaches past its fields");
  return reduce_points(queue, box, partial_, AddProducts<Correction, Real>{a, b, c});
}

template <class Correction, class Real>
void update_search_direction(Queue& queue, FieldView<Correction const> correction, double scale,
                             FieldView<Real> direction, double keep, LocalBox box) {
  require(correction.box.contains(box) && direction.box.contains(box),
          "a direction reaches past its fields");
  SetDirection<Correction, Real> const operation{correction, scale, direction, keep};
  for_each_point_in_columns(queue, box, operation);
}

#define ISOTHERM_INSTANTIATE(Correction, Real)                                                \
  template InnerProducts FieldInnerProducts::of(Queue&, FieldView<Correction const>,          \
                                                FieldView<Real const>, FieldView<Real const>, \
                                                LocalBox);                                    \
  template void update_search_direction(Queue&, FieldView<Correction const>, double,          \
                                        FieldView<Real>, double, LocalBox);
ISOTHERM_FOR_EACH_CORRECTION(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
