#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/cpu/splitmix64.hpp"
#include "solver/multigrid/aggregates/ghost_nodes.hpp"
#include "solver/multigrid/aggregates/sparse_rows.hpp"

namespace isotherm {

/// A symmetric operator A on the nodes of a level. This rank has the rows of its own nodes:
///
///     (A e)_p = hold_p e_p + Σ_q a_pq (e_q − e_p)
///
/// Row sums are stored instead of diagonals, so a constant that nothing holds is exactly in the
/// null space, in any precision.
template <class Real>
struct NodeOperator {
  GhostNodes nodes{};
  SparseRows<Real> links{};         ///< a_pq for q ≠ p; negative between points of the grid
  std::vector<Real> hold{};         ///< the row sums
  std::vector<double> stiffness{};  ///< sum of the diagonals of the grid's points in a node
  /// The grid's index of a point in each node, ghosts included. It does not depend on the ranks.
  std::vector<std::int64_t> id{};

  /// Returns the diagonal of A at this rank's own nodes; zero if a node has no row.
  [[nodiscard]] std::vector<double> diagonal() const {
    std::vector<double> result(nodes.owned());
    for_each_number(result.size(), [&](std::size_t p) {
      auto sum = static_cast<double>(hold[p]);
      links.each(p, [&](std::size_t, Real a) { sum -= static_cast<double>(a); });
      result[p] = sum;
    });
    return result;
  }
  /// Returns the bytes of the lists.
  [[nodiscard]] std::size_t bytes() const {
    return links.bytes() + hold.capacity() * sizeof(Real) + stiffness.capacity() * sizeof(double) +
           id.capacity() * sizeof(std::int64_t);
  }
};

/// Returns a random number of an index, the same on every machine. Different indices have different
/// numbers.
inline std::uint64_t random_of(std::int64_t index) {
  return splitmix64(static_cast<std::uint64_t>(index));
}

}  // namespace isotherm
