#pragma once

#include "kernels/transforms/dense/mode_matrices.hpp"
#include "solver/direct/axis_operator.hpp"

namespace isotherm {

/// Returns true if the modes of an axis are those of its pencil: they have no closed form, and the
/// axis is not the tridiagonal one.
bool has_pencil_modes(SeparableOperator const& op, int axis);

/// Returns the modes of all axes that are given by their pencils and have transforms; the others'
/// are empty. Each axis is computed by a thread of its own, equal ones once.
///
/// The pencil of an axis is K q = λ W q. Its matrix to modes acts on amounts per control volume.
/// The symmetric tridiagonal matrix W^-1/2 K W^-1/2 is diagonalised by the QL method (Eigen), in
/// O(n³) operations.
/// @throws Error  if the eigenvalues cannot be computed
PerAxis<ModeMatrices> modes_of_pencils(SeparableOperator const& op);

}  // namespace isotherm
