#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// Returns the numbers of the floating conductors in Medium::fixed, ascending.
std::vector<std::size_t> floating_numbers(Problem const& problem);

/// Returns the problem with given values in place of its floating conductors' unknown ones.
/// @param values  of the floating conductors, in the order of the regions; none: 0
Problem with_floating_values(Problem problem, std::span<double const> values = {});

/// Returns the problem in float64 with floating conductors at 0, and with nothing else given but
/// zeros.
Problem without_given_values(Problem const& problem);

/// Returns the execution of one of two solvers that exist at the same time: each may use half of
/// the memory that is free for aggregates.
Execution with_half_of_spare(Execution where);
/// Returns the same for solutions by cycles, which have no plans to choose from.
Execution of_auxiliary_cycles(Execution const& where);

/// The floating conductors of a problem, and where their values are found in a field.
///
/// The field stores a conductor's value at all of its points, so a checkpoint contains it.
class FloatingRegions {
 public:
  /// Finds a point of each conductor. Examines all points of this rank, on all threads. Collective.
  /// @throws InputError  on every rank, if a conductor has no point: other regions or faces cover
  ///                     it; or if the problem is steady, and insulated regions separate it from
  ///                     all given values, or no given value remains
  FloatingRegions(mpi::Communicator const& ranks, Problem const& problem,
                  Subdomain const& subdomain);

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  /// Returns floating_numbers().
  [[nodiscard]] std::vector<std::size_t> const& numbers() const { return numbers_; }
  /// Pairs values with the regions.
  [[nodiscard]] std::vector<RegionValue> paired(std::span<double const> values) const;
  /// Returns the conductors with their values and the fluxes from them.
  /// @param values       in the order of the regions
  /// @param fixed_flows  by number in Medium::fixed (HeatFlows::fixed)
  [[nodiscard]] std::vector<FloatingConductor> conductors(
      Problem const& problem, std::span<double const> values,
      std::span<double const> fixed_flows) const;
  /// Returns the values that a field has in the conductors. Collective.
  /// @param field  this rank's points, x fastest
  [[nodiscard]] std::vector<double> values_in(mpi::Communicator const& ranks,
                                              ConstValues const& field) const;

 private:
  /// Finds this rank's first point of each conductor, and which regions have points.
  void find_points(Problem const& problem, Subdomain const& subdomain);
  /// Leaves each conductor's point to the lowest rank that has one. @throws InputError  if no rank
  /// has
  void choose_owners(mpi::Communicator const& ranks, Problem const& problem);
  /// Returns the problem without conductors, and without regions that have no points. Collective.
  [[nodiscard]] Problem with_visible_values(mpi::Communicator const& ranks,
                                            Problem const& problem) const;
  /// @throws InputError  if no given value remains, or if insulated regions separate a conductor
  ///                     from all of them
  void require_connection(mpi::Communicator const& ranks, Problem const& problem,
                          Subdomain const& subdomain) const;

  std::vector<std::size_t> numbers_;
  /// The dense index of a point of each conductor on this rank; none on other ranks, so that one
  /// rank reports each value.
  std::vector<std::optional<std::int64_t>> points_{};
  std::vector<std::uint64_t> visible_{};  ///< by number in Medium::fixed: 1 if it has points here
};

}  // namespace isotherm
