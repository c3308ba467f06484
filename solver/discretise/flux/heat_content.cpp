#include "solver/discretise/flux/heat_content.hpp"

#include <algorithm>
#include <cmath>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/flux/gauss_rule.hpp"
#include "solver/discretise/flux/pieces_in_u.hpp"
#include "solver/discretise/given/given_range.hpp"

namespace isotherm {

HeatContent::HeatContent(Problem const& problem)
    : grid_(&problem.grid), capacity_(&problem.medium.capacity) {
  if (!depends_on_u()) return;
  ends_ = capacity_->breaks_in_u.empty() ? pieces_in_u(*capacity_, problem.grid)
                                         : capacity_->breaks_in_u;
}

double HeatContent::capacity(Index3 global, double u) const {
  return value_at(*capacity_, *grid_, global, 0.0, u);
}

double HeatContent::between(Index3 global, double from, double to) const {
  if (!depends_on_u()) return capacity(global, 0.0) * (to - from);
  auto const [x, y, z] = coordinates(*grid_, global);
  auto const at = [&, x = x, y = y, z = z](double u) { return (*capacity_)(x, y, z, u); };
  double const lower = std::min(from, to), upper = std::max(from, to);
  // Each piece is integrated from its begin, the one before the first end from there. So H does not
  // depend on where an integral starts.
  auto next = std::upper_bound(ends_.begin(), ends_.end(), lower);
  bool const before_all = next == ends_.begin();
  double u = before_all ? *next : *std::prev(next);
  double sum = -gauss_integral(at, u, lower);
  if (before_all && upper < u) sum += gauss_integral(at, u, upper);
  while (u < upper) {
    while (next != ends_.end() && *next <= u) ++next;
    double const end = next == ends_.end() ? upper : std::min(*next, upper);
    sum += gauss_integral(at, u, end);
    u = end;
  }
  return to < from ? -sum : sum;
}

bool counts_heat_from_zero(Problem const& problem) {
  HeatContent const content(problem);
  if (!content.depends_on_u()) return true;
  ValueRange const range = given_range(problem);
  bool counts = true;
  for_each_sample(problem.grid, [&](Index3 point) {
    for (double const u : {range.smallest, range.largest}) {
      counts = counts && std::isfinite(content.between(point, 0.0, u)) &&
               std::isfinite(content.capacity(point, 0.0));
    }
  });
  return counts;
}

}  // namespace isotherm
