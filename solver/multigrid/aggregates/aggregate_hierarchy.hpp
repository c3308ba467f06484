#pragma once

#include <memory>
#include <optional>
#include <span>
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
};

/// The levels below a grid in a second hierarchy: smoothed aggregation (coarse_operator.hpp). The
/// coarse nodes follow the strong links of the operator, so convergence does not depend on whether
/// a coarser grid can represent the medium. A cycle is a V with four Chebyshev sweeps before and
/// after the coarser level.
///
/// The ranks share a level until it has few nodes. Then each of them holds all of it. Neither
/// copyable nor movable.
template <class Real>
class AggregateHierarchy {
 public:
  /// Computes all levels. Collective.
  /// @param grid  the operator of the finest level, which is not kept
  AggregateHierarchy(NodeOperator<Real> grid, AggregateSettings const& settings);

  /// Returns a bound on the bytes of the object and its construction.
  /// @param points  of this rank's part of the grid
  static std::size_t footprint(std::size_t points);

  /// Solves approximately for the correction of a residual on the grid. Collective.
  /// @param values  of this rank's points: the residual, then the prolongated correction
  void solve(std::span<Real> values);

  /// True if corrections leave the means of weakly held components to the caller, see DenseSolve.
  [[nodiscard]] bool has_floating_components() const { return floats_; }
  /// Returns the bytes of all levels on this rank.
  [[nodiscard]] std::size_t bytes() const;
  /// Returns the number of nodes on each level below the grid, over all ranks.
  [[nodiscard]] std::vector<std::int64_t> const& node_counts() const { return counts_; }

 private:
  /// A level below the grid, and the way to it from the level above.
  struct Stage {
    SparseRows<Real> prolongation{};  ///< to the level above
    SparseRows<Real> restriction{};   ///< the transpose
    GhostNodes nodes{};               ///< the columns of the prolongation
    /// Collects the level's source on every rank. Only if every rank holds the level, although the
    /// ranks share `nodes`.
    std::optional<mpi::RepeatedGather> gather{};
    std::vector<Real> values{};  ///< if gathered: a residual or a correction at `nodes`
    std::unique_ptr<AggregateLevel<Real>> level{};
  };

  /// Makes the stage below an operator. Returns false if coarsening would not help.
  bool add_stage(NodeOperator<Real> const& a, std::vector<double> const& diagonal,
                 AggregateSettings const& settings);
  /// Computes the source of a stage's level from the residual above. Collective.
  void restrict_to(Stage& stage, std::span<Real const> residual);
  /// Adds the prolongated correction of a stage's level to `to`. Collective.
  void prolongate(Stage& stage, std::span<Real> to);
  /// Solves approximately on the level of a stage.
  void cycle(std::size_t n);

  std::vector<double> before_, after_;  ///< weights of the sweeps
  std::vector<Stage> stages_{};
  std::vector<std::int64_t> counts_{};
  std::optional<NodeInverse> inverse_{};  ///< of the last level, if it is small
  bool floats_ = false;
};

}  // namespace isotherm
