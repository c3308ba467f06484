#include "solver/multigrid/aggregates/aggregate_level.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace isotherm {

template <class Real>
AggregateLevel<Real>::AggregateLevel(NodeOperator<Real> a, double weak)
    : a_(std::move(a)), diagonal_(a_.diagonal()), inverse_diagonal_(diagonal_.size()) {
  for (std::size_t p = 0; p < inverse_diagonal_.size(); ++p) {
    bool const is_alone = a_.links.first[p] == a_.links.first[p + 1];
    bool const floats = is_alone && static_cast<double>(a_.hold[p]) <= weak * a_.stiffness[p];
    floats_ = floats_ || (floats && a_.stiffness[p] > 0.0);
    bool const is_sound =
        diagonal_[p] > 0.0 && std::isfinite(static_cast<Real>(1.0 / diagonal_[p]));
    if (is_sound && !floats) inverse_diagonal_[p] = static_cast<Real>(1.0 / diagonal_[p]);
  }
  floats_ = a_.nodes.any(floats_);
  diagonal_.resize(a_.nodes.total());
  a_.nodes.fill(diagonal_);
  eigenvalue_ = largest_eigenvalue();
}

template <class Real>
double AggregateLevel<Real>::largest_eigenvalue() const {
  constexpr int iterations = 15;
  constexpr double allowance = 1.05;
  std::size_t const owned = a_.nodes.owned();
  OperatorRows<Real> const rows{view_of(a_.links), a_.hold.data(), inverse_diagonal_.data()};
  std::vector<Real> e(a_.nodes.total());
  std::vector<Real> next(owned);
  for_each_number(owned, [&](std::size_t p) {
    e[p] = static_cast<Real>(static_cast<double>(random_of(a_.id[p]) >> 11U) * 0x1p-52 - 1.0);
  });
  double largest = 0.0;
  for (int n = 0; n < iterations; ++n) {
    a_.nodes.fill(e);
    for_each_number(owned, [&](std::size_t p) {
      next[p] = inverse_diagonal_[p] * rows.product(static_cast<std::int64_t>(p), e.data());
    });
    double const squares = sum_of_numbers(owned, [&](std::size_t p) {
      return static_cast<double>(next[p]) * static_cast<double>(next[p]);
    });
    double const norm = std::sqrt(a_.nodes.sum(squares));
    if (!(norm > 0.0)) break;
    largest = norm;
    for_each_number(owned, [&](std::size_t p) {
      e[p] = static_cast<Real>(static_cast<double>(next[p]) / norm);
    });
  }
  return std::max(allowance * largest, 1.0);
}

template <class Real>
void AggregateLevel<Real>::move_to(Queue& queue) {
  queue_ = &queue;
  links_ = QueueRows<Real>(queue, std::exchange(a_.links, {}));
  hold_ = QueueList<Real>(queue, std::exchange(a_.hold, {}));
  inverse_ = QueueList<Real>(queue, std::exchange(inverse_diagonal_, {}));
  for (auto* list : {&e_, &r_, &next_}) *list = QueueList<Real>(queue, a_.nodes.total());
  exchange_.emplace(queue, std::exchange(a_.nodes, GhostNodes{}));
  a_ = {};
  diagonal_ = {};
}

template <class Real>
std::size_t AggregateLevel<Real>::bytes() const {
  return links_.bytes() + hold_.bytes() + inverse_.bytes() + 3 * e_.bytes() + exchange_->bytes();
}

template <class Real>
void AggregateLevel<Real>::smooth(std::span<double const> weights, bool from_zero) {
  for (double const weight : weights) {
    // The weights suit eigenvalues of at most 2.
    Real const step = static_cast<Real>(weight * 2.0 / eigenvalue_);
    if (from_zero) {
      sweep_nodes_from_zero(*queue_, rows(), step, source(), next_.data());
    } else {
      exchange_->fill(correction());
      sweep_nodes(*queue_, rows(), step, source(), correction(), next_.data());
    }
    std::swap(e_, next_);
    from_zero = false;
  }
}

template <class Real>
Real const* AggregateLevel<Real>::residual() {
  exchange_->fill(correction());
  find_node_residual(*queue_, rows(), source(), correction(), next_.data());
  return next_.data();
}

template class AggregateLevel<float>;
template class AggregateLevel<double>;

}  // namespace isotherm
