#pragma once

#include <vector>

#include "solver/problem/problem.hpp"

namespace isotherm {

/// The eigenvectors along one axis of w (2 u − u(neighbours)), at its unknown points: products of
/// sines and cosines, known without a computation since the grid is uniform. As AxisModes has them
/// (kernels/multigrid/modes.hpp), each filled up with zeros to a whole number of groups.
struct AxisModeValues {
  int count = 0;
  std::vector<double> eigenvalues;
  std::vector<double> to_modes;
  std::vector<double> to_points;
};

/// @param correction  of correction_problem()
/// @param weight      w, how much each neighbour counts
AxisModeValues axis_modes(Problem const& correction, int axis, double weight);

}  // namespace isotherm
