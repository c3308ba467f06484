#include "solver/direct/axis_modes_of_pencil.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <future>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Replaces the mode of the smallest eigenvalue by the constant, whose eigenvalue is exactly 0, and
/// removes it from the others. Otherwise a null space, or the heat of a long time step, would be
/// lost in the rounding of the largest eigenvalue.
/// @param modes  columns are those of the symmetric matrix: W^(1/2) times the modes
/// @param root   W^(−1/2)
void set_constant_mode(Eigen::VectorXd const& root, Eigen::VectorXd& eigenvalues,
                       Eigen::MatrixXd& modes) {
  Eigen::VectorXd const constant = root.cwiseInverse().normalized();
  modes.col(0) = constant;
  for (Eigen::Index m = 1; m < modes.cols(); ++m) {
    modes.col(m) -= constant.dot(modes.col(m)) * constant;
  }
  eigenvalues[0] = 0.0;
}

/// Returns true if both axes have the same modes.
bool is_same_pencil(AxisOperator const& a, AxisOperator const& b) {
  return a.diagonal == b.diagonal && a.off_diagonal == b.off_diagonal && a.widths == b.widths &&
         a.ground == b.ground;
}

/// Returns the modes of one axis.
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
  Eigen::MatrixXd vectors = solver.eigenvectors();
  Eigen::VectorXd eigenvalues = solver.eigenvalues();  // in ascending order
  bool const leads_nowhere =
      std::ranges::all_of(along.ground, [](double ground) { return ground == 0.0; });
  if (leads_nowhere) set_constant_mode(root, eigenvalues, vectors);

  ModeMatrices modes;
  modes.count = static_cast<int>(n);
  for (Eigen::Index m = 0; m < n; ++m) {
    for (Eigen::Index p = 0; p < n; ++p) {
      modes.to_points.push_back(vectors(p, m) * root[p]);
      modes.to_modes.push_back(vectors(m, p) * root[m]);
    }
    modes.eigenvalues.push_back(eigenvalues[m]);
  }
  return modes;
}

}  // namespace

bool has_pencil_modes(SeparableOperator const& op, int axis) {
  AxisOperator const& along = op.along[axis];
  return along.varies && !along.ends && axis != op.tridiagonal;
}

PerAxis<ModeMatrices> modes_of_pencils(SeparableOperator const& op) {
  PerAxis<std::shared_future<ModeMatrices>> pending;
  for (int axis = 0; axis < 3; ++axis) {
    AxisOperator const& along = op.along[axis];
    if (!has_pencil_modes(op, axis)) continue;
    for (int other = 0; other < axis; ++other) {
      if (pending[other].valid() && is_same_pencil(op.along[other], along)) {
        pending[axis] = pending[other];
      }
    }
    if (pending[axis].valid()) continue;
    pending[axis] = std::async(std::launch::async, modes_of_pencil, std::cref(along)).share();
  }
  PerAxis<ModeMatrices> modes;
  for (int axis = 0; axis < 3; ++axis) {
    if (pending[axis].valid()) modes[axis] = pending[axis].get();
  }
  return modes;
}

}  // namespace isotherm
