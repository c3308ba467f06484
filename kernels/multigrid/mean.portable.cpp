#include "kernels/multigrid/mean.hpp"

#include <cmath>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

using Sums = FieldSums::Sums;

/// Adds the weighted value of a point to the sums.
template <class Real>
struct AddToSums {
  FieldView<Real const> field;
  HalfPlanes halves;

  ISOTHERM_INLINE void operator()(Sums& sums, std::int64_t i, std::int64_t j,
                                  std::int64_t k) const {
    double const value = halves.weight(i, j, k) * static_cast<double>(field(i, j, k));
    sums.signed_sum += value;
    sums.absolute_sum += std::abs(value);
  }
};

/// Adds a constant to the value of a point, in float64.
template <class Real>
struct AddConstant {
  FieldView<Real> field;
  double value;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Real& to = field(i, j, k);
    to = static_cast<Real>(static_cast<double>(to) + value);
  }
};

}  // namespace

template <class Real>
Sums FieldSums::sum(Queue& queue, FieldView<Real const> field, LocalBox box,
                    HalfPlanes const& halves) {
  require(field.box.contains(box), "a sum reaches past its field");
  return reduce_points(queue, box, partial_, AddToSums<Real>{field, halves});
}

template <class Real>
void add_constant(Queue& queue, FieldView<Real> field, LocalBox box, double value) {
  require(field.box.contains(box), "the points to add a constant to reach past the field");
  for_each_point(queue, box, AddConstant<Real>{field, value});
}

template Sums FieldSums::sum(Queue&, FieldView<float const>, LocalBox, HalfPlanes const&);
template Sums FieldSums::sum(Queue&, FieldView<double const>, LocalBox, HalfPlanes const&);
template void add_constant(Queue&, FieldView<float>, LocalBox, double);
template void add_constant(Queue&, FieldView<double>, LocalBox, double);

}  // namespace isotherm
