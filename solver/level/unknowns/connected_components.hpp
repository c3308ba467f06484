#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Connected components of the unknowns of a heterogeneous medium: unknowns that conductances
/// connect with one another.
///
/// A component is floating if it touches no fixed point and no Robin face. The constants on a
/// floating component belong to the null space of a steady problem. The solution is determined up
/// to such a constant, and exists only if all heat that flows into the component cancels.
struct ConnectedComponents {
  /// The component number of points that belong to none of the components.
  static constexpr std::int32_t held = -1;

  /// The component number of each of this rank's points (dense, x fastest), or `held`. Empty if
  /// there are no components, or if all points belong to a single one.
  std::vector<std::int32_t> component{};
  /// The first point of each component (global indices), in the order of the components.
  std::vector<Index3> first{};

  /// True if all points belong to a single component.
  [[nodiscard]] bool are_all() const { return component.empty() && !first.empty(); }
  /// Returns the component number of the rank's point with this dense index, or `held`.
  [[nodiscard]] std::int32_t of(std::int64_t point) const {
    if (component.empty()) return first.empty() ? held : 0;
    return component[static_cast<std::size_t>(point)];
  }
};

/// Finds the floating components. Every rank returns the same components in the same order, which
/// does not depend on the decomposition. Collective.
///
/// If any region is insulated, every point is examined, on all threads, by union-find over runs of
/// points along x. Ranks then exchange the labels at their faces.
/// @throws Error  on every rank, if a rank has more runs of points, or all ranks have more
/// components,
///                than 32 bits can number
ConnectedComponents find_floating_components(mpi::Communicator const& ranks, Problem const& problem,
                                             Subdomain const& subdomain);

/// Finds the connected components of all unknowns, floating or not. Fixed points are `held` and
/// connect nothing. If `component` is empty, all unknowns belong to a single component. Collective.
/// @throws Error  as find_floating_components() does
ConnectedComponents find_connected_components(mpi::Communicator const& ranks,
                                              Problem const& problem, Subdomain const& subdomain);

}  // namespace isotherm
