#include "solver/nonlinear/flow_derivative.hpp"

#include <algorithm>
#include <cmath>

#include "decomposition/field/staging/host_staging.hpp"
#include "solver/discretise/given/given_range.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the value at a rank's point, or one point beyond it along an axis.
double value_at_point(ValuesWithHalo<double> const& values, Extent3 const& n, Index3 p) {
  bool const beyond = p.x < 0 || p.x >= n.x;
  return beyond ? *values.value_beyond_row(p.x, p.y, p.z) : values.row(p.y, p.z)[p.x];
}

/// Returns the dense index of a point in a box, x fastest.
std::size_t dense_index(LocalBox const& box, Index3 p) {
  Extent3 const n = box.extent();
  Index3 const at = p - box.lower;
  return static_cast<std::size_t>((at.z * n.y + at.y) * n.x + at.x);
}

}  // namespace

FlowDerivative::FlowDerivative(mpi::Communicator const& ranks, Problem const& problem,
                               MediumUnits const& units, Subdomain const& subdomain)
    : ranks_(&ranks),
      problem_(&problem),
      units_(units),
      subdomain_(&subdomain),
      links_(link_conductivity(problem)) {
  double const largest = given_range(problem).magnitude();
  if (largest > 0.0) scale_ = largest;
  LocalBox const owned = subdomain.owned();
  unknown_.reserve(static_cast<std::size_t>(owned.point_count()));
  for (std::int64_t k = owned.lower.z; k < owned.upper.z; ++k) {
    for (std::int64_t j = owned.lower.y; j < owned.upper.y; ++j) {
      for (std::int64_t i = owned.lower.x; i < owned.upper.x; ++i) {
        unknown_.push_back(!is_fixed_point(problem, subdomain.to_global(Index3{i, j, k})));
      }
    }
  }
}

bool FlowDerivative::is_needed(Problem const& problem) {
  if (!has_varying_conductivity(problem)) return false;
  Medium const& medium = problem.medium;
  if (!medium.isotropic || (medium.layers && medium.layers->size() > 1)) return true;
  return std::ranges::any_of(medium.conductivity[0].varies_along,
                             [](bool varies) { return varies; });
}

std::size_t FlowDerivative::footprint(Problem const& problem, Subdomain const& subdomain) {
  if (!has_varying_conductivity(problem)) return 0;
  std::size_t bytes = 0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    LocalBox box = subdomain.owned();
    --box.lower[axis];
    bytes += static_cast<std::size_t>(box.point_count()) * sizeof(Slopes);
  }
  return bytes;
}

LocalBox FlowDerivative::lower_points(int axis) const {
  LocalBox box = subdomain_->owned();
  --box.lower[axis];
  return box;
}

Index3 FlowDerivative::on_grid(Index3 local) const {
  Index3 global = subdomain_->to_global(local);
  for (int axis = 0; axis < 3; ++axis) {
    global[axis] = problem_->grid.on_axis(axis, global[axis]);
  }
  return global;
}

/// True if heat flows through a link: no end lies in an insulated region, and one is an unknown.
bool FlowDerivative::conducts(Index3 lower, Index3 upper) const {
  int const at_lower = constraint_of(*problem_, lower), at_upper = constraint_of(*problem_, upper);
  if (at_lower == constraint::insulation || at_upper == constraint::insulation) return false;
  return at_lower == constraint::none || at_upper == constraint::none;
}

FlowDerivative::Slopes FlowDerivative::slopes_of(int axis, Index3 lower, ValuesOfLink const& values,
                                                 bool frozen) const {
  auto const conductance = [&](ValuesOfLink const& ends) {
    return conductance_of_link(*problem_, units_, links_, axis, lower, ends);
  };
  double const g = conductance(values), difference = values.upper - values.lower;
  bool const is_of_u = problem_->medium.conductivity[axis].depends_on_u;
  if (frozen || !is_of_u || difference == 0.0) return {g, g};
  // Values move towards each other, so they remain in a range where the conductivity is valid.
  constexpr double relative = 1e-6;
  auto const step_from = [&](double u) {
    double const size = relative * std::max({std::abs(u), std::abs(difference), 0.01 * scale_});
    return std::copysign(size, difference);
  };
  double const up = values.upper - step_from(values.upper);
  double const down = values.lower + step_from(values.lower);
  double const by_upper =
      (conductance({values.lower, up, values.time_s}) - g) / (up - values.upper);
  double const by_lower =
      (conductance({down, values.upper, values.time_s}) - g) / (down - values.lower);
  return {g + by_upper * difference, g - by_lower * difference};
}

void FlowDerivative::set_values(std::vector<double> const& u, double time_s, bool frozen) {
  Grid const& grid = problem_->grid;
  ValuesWithHalo<double> const values(*ranks_, *subdomain_, u.data());
  Extent3 const n = subdomain_->extent();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto& slopes = slopes_[static_cast<std::size_t>(axis)];
    LocalBox const box = lower_points(axis);
    slopes.assign(static_cast<std::size_t>(box.point_count()), Slopes{});
    if (grid.points[axis] == 1) continue;
    for_each_row(box, [&](std::int64_t j, std::int64_t k) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        Index3 const lower{i, j, k};
        std::int64_t const index = subdomain_->to_global(lower)[axis];
        bool const is_link = index >= 0 && index < grid.points[axis] - 1;
        if (!is_link && !grid.periodic[axis]) continue;
        Index3 upper = lower;
        ++upper[axis];
        Index3 const at = on_grid(lower);
        if (!conducts(at, on_grid(upper))) continue;
        ValuesOfLink const ends{value_at_point(values, n, lower), value_at_point(values, n, upper),
                                time_s};
        slopes[dense_index(box, lower)] = slopes_of(axis, at, ends, frozen);
      }
    });
  }
}

std::vector<double> FlowDerivative::flows_of(std::vector<double> const& change) const {
  LocalBox const owned = subdomain_->owned();
  ValuesWithHalo<double> const values(*ranks_, *subdomain_, change.data());
  Extent3 const n = subdomain_->extent();
  std::vector<double> flows(change.size());
  for_each_row(owned, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = owned.lower.x; i < owned.upper.x; ++i) {
      Index3 const p{i, j, k};
      std::size_t const at = dense_index(owned, p);
      if (!unknown_[at]) continue;
      double sum = 0.0;
      for (int axis = 0; axis < problem_->grid.dimension; ++axis) {
        auto const& slopes = slopes_[static_cast<std::size_t>(axis)];
        LocalBox const box = lower_points(axis);
        Index3 before = p, after = p;
        --before[axis];
        ++after[axis];
        Slopes const above = slopes[dense_index(box, p)];
        Slopes const below = slopes[dense_index(box, before)];
        if (above.by_upper != 0.0) {
          sum += above.by_upper * value_at_point(values, n, after) - above.by_lower * change[at];
        }
        if (below.by_lower != 0.0) {
          sum -= below.by_upper * change[at] - below.by_lower * value_at_point(values, n, before);
        }
      }
      flows[at] = sum;
    }
  });
  return flows;
}

}  // namespace isotherm
