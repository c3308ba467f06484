#include "solver/nonlinear/radiative_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Calls visit(global index, dense index) for this rank's unknown points.
template <class Visit>
void each_unknown(Problem const& problem, Subdomain const& subdomain, Visit const& visit) {
  GlobalBox const owned = subdomain.owned_global();
  std::size_t at = 0;
  for (std::int64_t k = owned.lower.z; k < owned.upper.z; ++k) {
    for (std::int64_t j = owned.lower.y; j < owned.upper.y; ++j) {
      for (std::int64_t i = owned.lower.x; i < owned.upper.x; ++i, ++at) {
        if (!is_fixed_point(problem, {i, j, k})) visit(Index3{i, j, k}, at);
      }
    }
  }
}

}  // namespace

std::optional<double> radiative_start(mpi::Communicator const& ranks, Problem const& problem,
                                      Subdomain const& subdomain, LocalInflow const& inflow,
                                      std::vector<double> const& u) {
  if (!inflow.radiates() || has_dirichlet_face(problem) ||
      std::ranges::any_of(problem.medium.fixed, transfers_without_radiation)) {
    return std::nullopt;
  }
  constexpr double none = -std::numeric_limits<double>::infinity();
  double hottest = 0.0, zero = none;
  each_unknown(problem, subdomain, [&](Index3 point, std::size_t at) {
    auto const found = inflow.zero_at(point);
    if (!found) return;
    zero = std::max(zero, *found);
    hottest = std::max(hottest, u[at] - *found);
  });
  zero = ranks.max(zero);
  hottest = ranks.max(hottest);
  if (zero == none) return std::nullopt;
  auto const warms_up_at = [&](double temperature) {
    double sum = 0.0;
    each_unknown(problem, subdomain,
                 [&](Index3 point, std::size_t) { sum += inflow(point, zero + temperature); });
    return ranks.sum(sum) > 0.0;
  };
  constexpr int max_doublings = 60;
  constexpr double smallest = 1e-3;
  double temperature = std::max(2.0 * hottest, smallest);
  if (!warms_up_at(temperature)) return std::nullopt;
  for (int n = 0; n < max_doublings; ++n) {
    temperature *= 2.0;
    if (warms_up_at(temperature)) continue;
    // The balance lies between half the temperature and the temperature.
    double low = 0.5 * temperature, high = temperature;
    for (int halving = 0; halving < 10; ++halving) {
      double const middle = 0.5 * (low + high);
      (warms_up_at(middle) ? low : high) = middle;
    }
    return zero + high;
  }
  return std::nullopt;
}

}  // namespace isotherm
