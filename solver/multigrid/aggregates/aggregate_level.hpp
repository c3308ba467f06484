#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/multigrid/aggregates/lists/node_exchange.hpp"
#include "solver/multigrid/aggregates/node_operator.hpp"

namespace isotherm {

/// A level of aggregates: its operator A, its correction e and its source r, in A e = r. Sweeps are
/// those of a Chebyshev polynomial of D⁻¹A, scaled by an estimate of its largest eigenvalue.
///
///     AggregateLevel<double> level(a, 0.0);                 // on the host
///     // make the coarser level from level.a() and level.diagonal()
///     level.move_to(queue);                                 // then a() is empty
///     // enqueue setting level.source()
///     level.smooth(weights, true);
template <class Real>
class AggregateLevel {
 public:
  /// Estimates the largest eigenvalue. Collective.
  /// @param weak  nodes without links whose row sum is at most `weak` times their stiffness have no
  ///              correction, because the caller determines their values
  AggregateLevel(NodeOperator<Real> a, double weak);

  /// The operator, in host memory. @pre  move_to() has not been called.
  [[nodiscard]] NodeOperator<Real> const& a() const { return a_; }
  /// The diagonal, ghosts included. @pre  as a()
  [[nodiscard]] std::vector<double> const& diagonal() const { return diagonal_; }
  [[nodiscard]] bool has_floating_nodes() const { return floats_; }

  /// Moves the level to the memory of a queue's backend, where all work of cycles is done, and
  /// frees that of its set-up. Waits for the queue.
  /// @param queue  must outlive the level
  void move_to(Queue& queue);

  // @pre of the following  move_to() has been called.

  /// e and r, ghosts included. e moves when the level is smoothed.
  [[nodiscard]] Real* correction() { return e_.data(); }
  [[nodiscard]] Real* source() { return r_.data(); }
  [[nodiscard]] NodeExchange<Real>& exchange() { return *exchange_; }
  [[nodiscard]] NodeExchange<Real> const& exchange() const { return *exchange_; }
  [[nodiscard]] std::size_t bytes() const;

  /// Enqueues a sweep for each weight. Collective.
  /// @param from_zero  e is zero before, whatever it holds
  void smooth(std::span<double const> weights, bool from_zero);
  /// Enqueues r − A e at this rank's nodes, in a list that the next sweep overwrites. Collective.
  Real const* residual();

 private:
  [[nodiscard]] OperatorRows<Real> rows() const {
    return {links_.view(), hold_.data(), inverse_.data()};
  }
  /// Returns an estimate of the largest eigenvalue of D⁻¹A by power iteration. Collective.
  [[nodiscard]] double largest_eigenvalue() const;

  // Of the set-up, in host memory.
  NodeOperator<Real> a_;
  std::vector<double> diagonal_;
  std::vector<Real> inverse_diagonal_;  ///< zero without a correction
  double eigenvalue_ = 2.0;
  bool floats_ = false;
  // Of cycles, in the memory of the queue.
  Queue* queue_ = nullptr;
  QueueRows<Real> links_{};
  QueueList<Real> hold_{}, inverse_{};
  QueueList<Real> e_{}, r_{}, next_{};
  std::optional<NodeExchange<Real>> exchange_{};
};

}  // namespace isotherm
