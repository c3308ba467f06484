#pragma once

#include <vector>

#include "solver/problem/problem.hpp"

namespace isotherm {

/// The eigenvectors and eigenvalues of the operator w (2 u − u(neighbours)) along one axis, at its
/// unknown points.
///
/// On a uniform grid they are sines and cosines, known in closed form: sines from a Dirichlet face,
/// cosines from a Neumann face, both on a periodic axis. The layout is that of
/// AxisModes (kernels/multigrid/coarsest/modes.hpp): each row is padded with zeros to a multiple of
/// the kernel's group size.
struct AxisModeValues {
  int count = 0;                    ///< of modes, and of unknown points
  std::vector<double> eigenvalues;  ///< by mode
  std::vector<double> to_modes;     ///< the transform to modes, a row for each point
  std::vector<double> to_points;    ///< the transform to points, a row for each mode
};

/// Computes the eigenmodes of an axis, in O(n²) operations for its n unknown points. An axis of one
/// point has the constant mode with eigenvalue 0.
/// @param correction  from correction_problem()
/// @param weight  w, the weight of each neighbour
AxisModeValues axis_modes(Problem const& correction, int axis, double weight);

}  // namespace isotherm
