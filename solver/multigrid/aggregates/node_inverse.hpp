#pragma once

#include <vector>

#include "solver/multigrid/aggregates/node_operator.hpp"

namespace isotherm {

/// The dense inverse of the coarsest level, in float64. On components that are held weakly or not
/// at all, it gives the solution of mean zero, as DenseSolve does.
class NodeInverse {
 public:
  /// Inverts the operator. O(n³) for n nodes.
  /// @param weak  a component is weakly held if its row sums add up to at most `weak` times its
  ///              stiffness; 0: only components that nothing holds
  /// @pre  This rank holds all nodes.
  template <class Real>
  NodeInverse(NodeOperator<Real> const& a, double weak);

  /// True if there are components whose solutions have mean zero.
  [[nodiscard]] bool has_floating_components() const { return floats_; }
  [[nodiscard]] std::size_t bytes() const { return matrix_.capacity() * sizeof(double); }

  /// Computes e = A⁻¹ r. Both have a value for each node.
  template <class Real>
  void solve(Real const* r, Real* e) const;

 private:
  std::size_t nodes_ = 0;
  std::vector<double> matrix_{};  ///< row-major
  bool floats_ = false;
};

}  // namespace isotherm
