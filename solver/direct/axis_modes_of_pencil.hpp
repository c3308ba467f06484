#pragma once

#include "kernels/transforms/dense/mode_matrices.hpp"
#include "solver/direct/axis_operator.hpp"

namespace isotherm {

/// Returns the modes of an axis that is given by its pencil, K q = λ W q. The matrix to modes acts
/// on amounts per control volume.
///
/// The symmetric tridiagonal matrix W^-1/2 K W^-1/2 is diagonalised by the QL method (Eigen), in
/// O(n³) operations.
/// @throws Error  if the eigenvalues cannot be computed
ModeMatrices modes_of_pencil(AxisOperator const& along);

}  // namespace isotherm
