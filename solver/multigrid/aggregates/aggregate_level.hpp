#pragma once

#include <span>
#include <vector>

#include "solver/multigrid/aggregates/node_operator.hpp"

namespace isotherm {

/// A level of aggregates: its operator A, its correction e and its source r, in A e = r. Sweeps are
/// those of a Chebyshev polynomial of D⁻¹A, scaled by an estimate of its largest eigenvalue.
template <class Real>
class AggregateLevel {
 public:
  /// Estimates the largest eigenvalue. Collective.
  /// @param weak  nodes without links whose row sum is at most `weak` times their stiffness have no
  ///              correction, because the caller determines their values
  AggregateLevel(NodeOperator<Real> a, double weak);

  [[nodiscard]] NodeOperator<Real> const& a() const { return a_; }
  /// The diagonal, ghosts included.
  [[nodiscard]] std::vector<double> const& diagonal() const { return diagonal_; }
  /// e and r, ghosts included.
  [[nodiscard]] std::vector<Real>& correction() { return e_; }
  [[nodiscard]] std::vector<Real>& source() { return r_; }
  [[nodiscard]] bool has_floating_nodes() const { return floats_; }
  [[nodiscard]] std::size_t bytes() const;

  /// Sweeps once for each weight. Collective.
  /// @param from_zero  e is zero before, whatever it holds
  void smooth(std::span<double const> weights, bool from_zero);
  /// Returns r − A e at this rank's nodes, in a list that the next sweep overwrites. Collective.
  std::vector<Real> const& residual();

 private:
  /// Returns (A e)_p.
  [[nodiscard]] Real row(std::size_t p, std::vector<Real> const& e) const {
    Real const here = e[p];
    Real sum = a_.hold[p] * here;
    a_.links.each(p, [&](std::size_t q, Real value) { sum += value * (e[q] - here); });
    return sum;
  }
  /// Returns an estimate of the largest eigenvalue of D⁻¹A by power iteration. Collective.
  double largest_eigenvalue();

  NodeOperator<Real> a_;
  std::vector<double> diagonal_;
  std::vector<Real> inverse_;  ///< of the diagonal; zero without a correction
  std::vector<Real> e_, r_, next_;
  double eigenvalue_ = 2.0;
  bool floats_ = false;
};

}  // namespace isotherm
