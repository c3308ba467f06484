#include "solver/floating_regions.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/field/value_refusal.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/level/unknowns/connected_components.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns how messages call a region.
std::string called(Problem const& problem, std::size_t number) {
  std::string const& name = problem.medium.fixed[number].name;
  return name.empty() ? "of [[fixed]] number " + std::to_string(number) : '"' + name + '"';
}

/// Returns how messages call a conductor.
std::string conductor(Problem const& problem, std::size_t number) {
  return "the floating conductor " + called(problem, number);
}

/// Returns the key of the case that makes a region float.
std::string key_of(std::size_t number) { return "fixed." + std::to_string(number) + ".floating"; }

}  // namespace

std::vector<std::size_t> floating_numbers(Problem const& problem) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < problem.medium.fixed.size(); ++i) {
    if (problem.medium.fixed[i].floating_flux) numbers.push_back(i);
  }
  return numbers;
}

Problem with_floating_values(Problem problem, std::span<double const> values) {
  problem.original = std::make_shared<Problem const>(original_of(problem));
  std::size_t next = 0;
  for (FixedRegion& region : problem.medium.fixed) {
    if (!region.floating_flux) continue;
    region.value = next < values.size() ? values[next] : 0.0;
    region.floating_flux.reset();
    ++next;
  }
  return problem;
}

Problem without_given_values(Problem const& problem) {
  Problem zero = with_floating_values(problem);
  zero.precision = Precision::float64;
  zero.source = 0.0;
  zero.source_terms.clear();
  zero.initial = {};
  for (BoundaryCondition& condition : zero.boundary) condition.value = 0.0;
  for (BoundaryPatch& patch : zero.patches) patch.condition.value = 0.0;
  for (FixedRegion& region : zero.medium.fixed) region.value = 0.0;
  return zero;
}

Execution with_half_of_spare(Execution where) {
  where.spare_bytes /= 2;
  where.spare_device_bytes /= 2;
  return where;
}

Execution of_auxiliary_cycles(Execution const& where) {
  Execution cycles = with_half_of_spare(where);
  cycles.plan = "auto";
  return cycles;
}

FloatingRegions::FloatingRegions(mpi::Communicator const& ranks, Problem const& problem,
                                 Subdomain const& subdomain)
    : numbers_(floating_numbers(problem)) {
  points_.resize(numbers_.size());
  find_points(problem, subdomain);
  choose_owners(ranks, problem);
  // In time the initial values determine all others.
  if (problem.equation != Equation::diffusion) require_connection(ranks, problem, subdomain);
}

void FloatingRegions::find_points(Problem const& problem, Subdomain const& subdomain) {
  LocalBox const owned = subdomain.owned();
  Extent3 const n = owned.extent();
  visible_.assign(problem.medium.fixed.size(), 0);
  std::mutex others;
  for_each_row(owned, [&](std::int64_t j, std::int64_t k) {
    std::vector<int> constraints(static_cast<std::size_t>(n.x));
    Index3 const first{owned.lower.x, j, k};
    find_constraints(problem, subdomain.to_global(first), constraints);
    // The first point of each region in the row.
    std::map<int, std::int64_t> found;
    std::int64_t point = ((k - owned.lower.z) * n.y + (j - owned.lower.y)) * n.x;
    for (int const constraint : constraints) {
      if (constraint >= constraint::first_region) found.try_emplace(constraint, point);
      ++point;
    }
    std::scoped_lock const lock(others);
    for (auto const& [constraint, at] : found) {
      auto const number = static_cast<std::size_t>(constraint - constraint::first_region);
      visible_[number] = 1;
      auto const floating = std::ranges::find(numbers_, number);
      if (floating == numbers_.end()) continue;
      auto& lowest = points_[static_cast<std::size_t>(floating - numbers_.begin())];
      lowest = std::min(lowest.value_or(at), at);
    }
  });
}

/// Leaves each conductor's point to the lowest rank that has one.
void FloatingRegions::choose_owners(mpi::Communicator const& ranks, Problem const& problem) {
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    auto const none = static_cast<double>(ranks.size());
    double const owner = ranks.min(points_[i] ? static_cast<double>(ranks.rank()) : none);
    if (owner == none) {
      throw ValueRefusal(
          {key_of(numbers_[i]), conductor(problem, numbers_[i]) +
                                    " has no point of the grid: faces or later regions cover it"});
    }
    if (owner != static_cast<double>(ranks.rank())) points_[i].reset();
  }
}

Problem FloatingRegions::with_visible_values(mpi::Communicator const& ranks,
                                             Problem const& problem) const {
  std::vector<std::uint64_t> const visible = ranks.sum(visible_);
  Problem given = problem;
  given.medium.fixed.clear();
  for (std::size_t i = 0; i < visible.size(); ++i) {
    FixedRegion const& region = problem.medium.fixed[i];
    // A fluid acts on volumes that its surface cuts, so it needs no points.
    if (!region.floating_flux && (visible[i] > 0 || region.is_excluded)) {
      given.medium.fixed.push_back(region);
    }
  }
  return given;
}

/// If the medium fills the conductors, each must belong to a component that touches a given value.
void FloatingRegions::require_connection(mpi::Communicator const& ranks, Problem const& problem,
                                         Subdomain const& subdomain) const {
  Problem const filled = with_visible_values(ranks, problem);
  if (!has_given_values(filled)) {
    std::size_t hidden = 0;
    while (problem.medium.fixed[hidden].floating_flux) ++hidden;
    throw ValueRefusal(
        {key_of(numbers_[0]),
         "nothing determines the value of " + conductor(problem, numbers_[0]) +
             ": the region with a value " + called(problem, hidden) +
             " has no point of the grid, because later regions cover it or it lies between points. "
             "Uncover it, or give a face a value"});
  }
  if (filled.medium.insulated.empty()) return;  // one component, see check_solvable()
  ConnectedComponents const floating = find_floating_components(ranks, filled, subdomain);
  if (floating.first.empty()) return;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    bool const apart = points_[i] && floating.of(*points_[i]) != ConnectedComponents::held;
    if (!ranks.any(apart)) continue;
    throw ValueRefusal(
        {key_of(numbers_[i]), "insulated regions separate " + conductor(problem, numbers_[i]) +
                                  " from all given values, so its value is not determined"});
  }
}

std::vector<RegionValue> FloatingRegions::paired(std::span<double const> values) const {
  std::vector<RegionValue> pairs;
  for (std::size_t i = 0; i < numbers_.size(); ++i) pairs.push_back({numbers_[i], values[i]});
  return pairs;
}

std::vector<FloatingConductor> FloatingRegions::conductors(
    Problem const& problem, std::span<double const> values,
    std::span<double const> fixed_flows) const {
  std::vector<FloatingConductor> all;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    std::size_t const number = numbers_[i];
    all.push_back(
        {number, values[i], fixed_flows[number], *problem.medium.fixed[number].floating_flux});
  }
  return all;
}

std::vector<double> FloatingRegions::values_in(mpi::Communicator const& ranks,
                                               ConstValues const& field) const {
  std::vector<double> values(numbers_.size(), 0.0);
  std::visit(
      [&](auto const& span) {
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
          if (points_[i])
            values[i] = static_cast<double>(span[static_cast<std::size_t>(*points_[i])]);
        }
      },
      field);
  return ranks.sum(std::move(values));
}

}  // namespace isotherm
