#pragma once

#include <vector>

#include "solver/multigrid/aggregates/ghost_nodes.hpp"
#include "solver/multigrid/aggregates/lists/queue_list.hpp"

namespace isotherm {

/// The exchange of ghost nodes (GhostNodes) for values in the memory of a queue's backend: they are
/// packed there, and the messages pass through host memory. Waits for the queue if there are
/// messages.
template <class Real>
class NodeExchange {
 public:
  /// @param queue  must outlive the object
  NodeExchange(Queue& queue, GhostNodes nodes);

  [[nodiscard]] GhostNodes const& nodes() const { return nodes_; }

  /// Sets the values of the ghosts to those of their owners. Collective.
  /// @param values  nodes.total() values
  void fill(Real* values);
  /// Adds the values of ghosts to those of their owners, rank by rank. Collective.
  void add_to_owners(Real* values);

  /// Returns the host time spent in messages until now, in seconds.
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] std::size_t bytes() const {
    return wanted_.bytes() + of_wanted_.bytes() + of_ghosts_.bytes();
  }

 private:
  Queue* queue_;
  GhostNodes nodes_;
  QueueList<std::int32_t> wanted_{};    ///< GhostNodes::wanted(), rank after rank
  std::vector<std::int64_t> begins_{};  ///< of each rank in it, and its end
  MirroredList<Real> of_wanted_;        ///< the values of these rows
  MirroredList<Real> of_ghosts_;        ///< the values of ghosts
  double seconds_ = 0.0;                ///< see seconds()
};

}  // namespace isotherm
