#pragma once

#include "solver/multigrid/aggregates/node_operator.hpp"

namespace isotherm {

/// The aggregates of a level's nodes. Each aggregate is a node of the next coarser level; the rank
/// that owns its root owns the aggregate.
struct Aggregates {
  /// The aggregate of each node, ghosts included: the row of its node in the coarser level. None
  /// for nodes without a strong link: relaxation alone finds their values.
  std::vector<NodeAddress> aggregate{};
  std::vector<std::int64_t> root_id{};  ///< NodeOperator::id of the roots of this rank's aggregates

  [[nodiscard]] std::size_t count() const { return root_id.size(); }
};

/// Finds aggregates of strongly linked nodes. Collective.
///
/// A link is strong if |a_pq| >= threshold √(a_pp a_qq). The roots are a maximal independent set of
/// distance 2 with random priorities (M. Luby, 1986; N. Bell, S. Dalton and L. Olson, SIAM J. Sci.
/// Comput. 34, 2012). A node next to a root joins it; others join the aggregate of the neighbour
/// with the strongest link. The aggregates depend on the nodes' ids, not on the ranks.
/// @param diagonal  of A, ghosts included
template <class Real>
Aggregates find_aggregates(NodeOperator<Real> const& a, std::vector<double> const& diagonal,
                           double threshold = 0.08);

}  // namespace isotherm
