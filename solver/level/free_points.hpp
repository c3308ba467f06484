#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The unknowns of a body that nothing holds to a value: flows connect them with one another, but
/// with no point that keeps a value and with no Robin face. Those that are connected are an island.
/// What is steady there is known but for a constant, and only if all that flows in cancels.
struct FreePoints {
  static constexpr std::int32_t held = -1;

  /// The number of the island of each of this rank's points, dense, x fastest, or `held`; empty
  /// where there are no islands, or where all points are of the only one.
  std::vector<std::int32_t> island{};
  /// The first point of each island, in their order; global.
  std::vector<Index3> first{};

  /// Whether all points are of the only island.
  [[nodiscard]] bool are_all() const { return island.empty() && !first.empty(); }
  [[nodiscard]] std::int32_t of(std::int64_t point) const {
    if (island.empty()) return first.empty() ? held : 0;
    return island[static_cast<std::size_t>(point)];
  }
};

/// The same islands on every rank, however the grid is cut. Where something is insulated every
/// point is looked at, on all threads. Collective.
/// @throws InputError  on every rank, where a rank has more rows than can be counted
FreePoints find_free_points(mpi::Communicator const& ranks, Problem const& problem,
                            Subdomain const& subdomain);

/// The same of all unknowns, whatever holds them: those that flows connect with one another, but
/// not by way of points that keep their values, are an island; `held` are points that keep their
/// values. If island is empty all unknowns are of the only one. Collective.
/// @throws InputError  as find_free_points()
FreePoints find_connected_points(mpi::Communicator const& ranks, Problem const& problem,
                                 Subdomain const& subdomain);

}  // namespace isotherm
