#include "solver/multigrid/aggregates/aggregate_level.hpp"

#include <algorithm>
#include <cmath>

namespace isotherm {

template <class Real>
AggregateLevel<Real>::AggregateLevel(NodeOperator<Real> a, double weak)
    : a_(std::move(a)), diagonal_(a_.diagonal()), inverse_(diagonal_.size()) {
  for (std::size_t p = 0; p < inverse_.size(); ++p) {
    bool const is_alone = a_.links.first[p] == a_.links.first[p + 1];
    bool const floats = is_alone && static_cast<double>(a_.hold[p]) <= weak * a_.stiffness[p];
    floats_ = floats_ || (floats && a_.stiffness[p] > 0.0);
    bool const is_sound =
        diagonal_[p] > 0.0 && std::isfinite(static_cast<Real>(1.0 / diagonal_[p]));
    if (is_sound && !floats) inverse_[p] = static_cast<Real>(1.0 / diagonal_[p]);
  }
  floats_ = a_.nodes.any(floats_);
  diagonal_.resize(a_.nodes.total());
  a_.nodes.fill(diagonal_);
  for (auto* list : {&e_, &r_, &next_}) list->resize(a_.nodes.total());
  eigenvalue_ = largest_eigenvalue();
}

template <class Real>
std::size_t AggregateLevel<Real>::bytes() const {
  return a_.bytes() + diagonal_.capacity() * sizeof(double) +
         (inverse_.capacity() + 3 * e_.capacity()) * sizeof(Real);
}

template <class Real>
double AggregateLevel<Real>::largest_eigenvalue() {
  constexpr int iterations = 15;
  constexpr double allowance = 1.05;
  std::size_t const owned = a_.nodes.owned();
  for (std::size_t p = 0; p < owned; ++p) {
    e_[p] = static_cast<Real>(static_cast<double>(random_of(a_.id[p]) >> 11U) * 0x1p-52 - 1.0);
  }
  double largest = 0.0;
  for (int n = 0; n < iterations; ++n) {
    a_.nodes.fill(e_);
    double squares = 0.0;
    for (std::size_t p = 0; p < owned; ++p) {
      next_[p] = inverse_[p] * row(p, e_);
      squares += static_cast<double>(next_[p]) * static_cast<double>(next_[p]);
    }
    double const norm = std::sqrt(a_.nodes.sum(squares));
    if (!(norm > 0.0)) break;
    largest = norm;
    for (std::size_t p = 0; p < owned; ++p)
      e_[p] = static_cast<Real>(static_cast<double>(next_[p]) / norm);
  }
  return std::max(allowance * largest, 1.0);
}

template <class Real>
void AggregateLevel<Real>::smooth(std::span<double const> weights, bool from_zero) {
  for (double const weight : weights) {
    // The weights suit eigenvalues of at most 2.
    Real const step = static_cast<Real>(weight * 2.0 / eigenvalue_);
    if (!from_zero) a_.nodes.fill(e_);
    for_each_part(a_.nodes.owned(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        next_[p] = from_zero ? step * inverse_[p] * r_[p]
                             : e_[p] + step * inverse_[p] * (r_[p] - row(p, e_));
      }
    });
    e_.swap(next_);
    from_zero = false;
  }
}

template <class Real>
std::vector<Real> const& AggregateLevel<Real>::residual() {
  a_.nodes.fill(e_);
  for_each_part(a_.nodes.owned(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) next_[p] = r_[p] - row(p, e_);
  });
  return next_;
}

template class AggregateLevel<float>;
template class AggregateLevel<double>;

}  // namespace isotherm
