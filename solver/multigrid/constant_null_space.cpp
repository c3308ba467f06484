#include "solver/multigrid/constant_null_space.hpp"

#include <cmath>

#include "decomposition/field/means.hpp"
#include "kernels/faces/faces.hpp"
#include "solver/level/unknowns/compatibility.hpp"

namespace isotherm {

template <class Real>
ConstantNullSpace<Real>::ConstantNullSpace(mpi::Communicator const& ranks, Problem const& problem,
                                           Subdomain const& subdomain, Queue& queue)
    : ranks_(&ranks),
      problem_(&problem),
      queue_(&queue),
      points_(subdomain.owned()),
      halves_(trapezoidal_weights(subdomain)),
      sums_(queue) {
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    volume_ *= static_cast<double>(problem.grid.intervals(axis));
  }
}

template <class Real>
FieldSums::Sums ConstantNullSpace<Real>::sum(FieldView<Real const> field) {
  FieldSums::Sums const mine = sums_.sum(*queue_, field, points_, halves_);
  return {ranks_->sum(mine.signed_sum), ranks_->sum(mine.absolute_sum)};
}

template <class Real>
std::string ConstantNullSpace<Real>::make_compatible(FieldView<Real> source, double factor) {
  // A sum of rounded values is compatible up to a few units in the last place of its terms.
  constexpr double rounding = sizeof(Real) == sizeof(float) ? 1e-6 : 1e-12;
  auto const [signed_sum, absolute_sum] = sum(source);
  double const mean = signed_sum / volume_;
  add_constant(*queue_, source, points_, -mean);
  // A constant source leaves rounding, whose solution would be noise.
  if (sum(source).absolute_sum <= rounding * absolute_sum) fill(*queue_, source, points_, Real{0});
  if (std::abs(signed_sum) <= rounding * absolute_sum) return {};
  // remark_on_compatibility() throws if the problem does not ask for a projection.
  double cell = factor;
  for (int axis = 0; axis < problem_->grid.dimension; ++axis) cell *= problem_->grid.spacing[axis];
  return remark_on_compatibility(*problem_, signed_sum * cell, mean * factor, "over the grid");
}

template <class Real>
double ConstantNullSpace<Real>::mean(FieldView<Real const> field) {
  return sum(field).signed_sum / volume_;
}

template <class Real>
void ConstantNullSpace<Real>::set_mean(FieldView<Real> field, double mean) {
  add_constant(*queue_, field, points_, mean - this->mean(field));
}

template class ConstantNullSpace<float>;
template class ConstantNullSpace<double>;

}  // namespace isotherm
