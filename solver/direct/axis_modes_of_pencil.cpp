#include "solver/direct/axis_modes_of_pencil.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "kernels/core/error.hpp"

namespace isotherm {

ModeMatrices modes_of_pencil(AxisOperator const& along) {
  auto const n = static_cast<Eigen::Index>(along.diagonal.size());
  Eigen::VectorXd diagonal(n);
  Eigen::VectorXd off_diagonal(n - 1);
  Eigen::VectorXd root(n);  // of the inverse widths
  for (Eigen::Index i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    root[i] = 1.0 / std::sqrt(along.widths[at]);
    diagonal[i] = along.diagonal[at] / along.widths[at];
  }
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    off_diagonal[i] = along.off_diagonal[static_cast<std::size_t>(i)] * root[i] * root[i + 1];
  }
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal, off_diagonal);
  require(solver.info() == Eigen::Success, "the modes of an axis cannot be computed");

  ModeMatrices modes;
  modes.count = static_cast<int>(n);
  for (Eigen::Index m = 0; m < n; ++m) {
    for (Eigen::Index p = 0; p < n; ++p) {
      modes.to_points.push_back(solver.eigenvectors()(p, m) * root[p]);
      modes.to_modes.push_back(solver.eigenvectors()(m, p) * root[m]);
    }
    modes.eigenvalues.push_back(solver.eigenvalues()[m]);
  }
  return modes;
}

}  // namespace isotherm
