#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "decomposition/ranks/repeated_gather.hpp"
#include "solver/multigrid/aggregates/aggregate_level.hpp"
#include "solver/multigrid/aggregates/node_inverse.hpp"

namespace isotherm {

/// How a hierarchy of aggregates is built.
struct AggregateSettings {
  double weak = 0.0;                   ///< see NodeInverse
  std::int64_t gathered_nodes = 4096;  ///< every rank holds all of a level with fewer nodes
  std::size_t dense_nodes = 256;       ///< a level with at most this many nodes is inverted
  /// Cycles work in host memory on a level with at most this many nodes, over all ranks. Kernels on
  /// a device would take longer to start.
  std::int64_t host_nodes = 1024;
};

/// The levels below a grid in a second hierarchy: smoothed aggregation (coarse_operator.hpp). The
/// coarse nodes follow the strong links of the operator, so convergence does not depend on whether
/// a coarser grid can represent the medium. A cycle is a V with four Chebyshev sweeps before and
/// after the coarser level.
///
/// The ranks share a level until it has few nodes. Then each of them holds all of it.
///
/// The host computes the levels. Cycles work in the memory of a queue's backend, but on the host on
/// levels that are small, gathered or inverted. On a device a cycle waits once for these levels,
/// and once for each exchange between ranks. Neither copyable nor movable.
template <class Real>
class AggregateHierarchy {
 public:
  /// Computes all levels. Collective; waits.
  /// @param queue  in whose memory cycles work; must outlive the object
  /// @param grid   the operator of the finest level, in host memory, which is not kept
  AggregateHierarchy(Queue& queue, NodeOperator<Real> grid, AggregateSettings const& settings);
  AggregateHierarchy(AggregateHierarchy const&) = delete;
  AggregateHierarchy& operator=(AggregateHierarchy const&) = delete;

  /// Returns the bytes of host memory that the construction takes at most, on the CPU with those of
  /// the object: more than in any medium that was measured.
  /// @param points  of this rank's part of the grid
  static std::size_t footprint(std::size_t points);
  /// Returns the same of the object in the memory of a device.
  static std::size_t device_footprint(std::size_t points);

  /// Enqueues solving approximately for the correction of a residual on the grid. Collective.
  /// @param values  in the memory of the queue's backend, of this rank's points: the residual, then
  ///                the prolongated correction
  void solve(Real* values);

  /// True if corrections leave the means of weakly held components to the caller, see DenseSolve.
  [[nodiscard]] bool has_floating_components() const { return floats_; }
  /// Returns the bytes of all levels on this rank.
  [[nodiscard]] std::size_t bytes() const;
  /// Returns the host time that this rank has spent in messages of cycles until now, in seconds.
  [[nodiscard]] double halo_seconds() const;
  /// Returns the number of nodes on each level below the grid, over all ranks.
  [[nodiscard]] std::vector<std::int64_t> const& node_counts() const { return counts_; }

 private:
  /// A level below the grid, and the way to it from the level above.
  struct Stage {
    Queue* above = nullptr;          ///< of the level above, which the two matrices belong to
    QueueRows<Real> prolongation{};  ///< to the level above
    QueueRows<Real> restriction{};   ///< the transpose
    /// If every rank holds the level: the nodes that ranks share, the columns of the prolongation,
    /// and the gather of the level's source from all ranks.
    std::optional<NodeExchange<Real>> shared{};
    std::optional<mpi::RepeatedGather> gather{};
    /// A residual or a correction at these nodes. Only if they are not the level's own lists: if
    /// the level is gathered, or on the host below a level on a device.
    std::optional<MirroredList<Real>> values{};
    std::unique_ptr<AggregateLevel<Real>> level{};
    Queue* queue = nullptr;  ///< of the level
    double gather_s = 0.0;   ///< host time in `gather`

    /// The exchange of the columns of the prolongation.
    [[nodiscard]] NodeExchange<Real>& exchange() { return shared ? *shared : level->exchange(); }
    /// Returns the seconds spent in messages.
    [[nodiscard]] double halo_seconds() const {
      return level->exchange().seconds() + (shared ? shared->seconds() : 0.0) + gather_s;
    }
    /// Index of this rank's first node in the level's lists.
    [[nodiscard]] std::int64_t offset() const { return gather ? gather->offset() : 0; }
  };

  /// Makes the stage below an operator. Returns false if coarsening would not help.
  bool add_stage(NodeOperator<Real> const& a, std::vector<double> const& diagonal,
                 AggregateSettings const& settings);
  /// Computes the source of a stage's level from the residual above. Collective.
  void restrict_to(Stage& stage, Real const* residual);
  /// Adds the prolongated correction of a stage's level to `to`. Collective.
  void prolongate(Stage& stage, Real* to);
  /// Solves approximately on the level of a stage.
  void cycle(std::size_t n);

  Queue* queue_;
  Queue host_{Backend::cpu};            ///< of levels in host memory
  std::int64_t points_;                 ///< of this rank's part of the grid
  std::vector<double> before_, after_;  ///< weights of the sweeps
  std::vector<Stage> stages_{};
  std::vector<std::int64_t> counts_{};
  std::optional<NodeInverse> inverse_{};  ///< of the last level, if it is small
  bool floats_ = false;
};

}  // namespace isotherm
