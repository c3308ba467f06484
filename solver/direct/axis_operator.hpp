#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/axis_ends.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_rows.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/level/medium/layered_medium.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The operator of a separable problem along one axis, at the axis's unknown points.
///
/// For constant coefficients it is w (2 u − u(neighbours)) and acts on values. In a separable
/// medium it is the pencil K q = λ W q: a symmetric tridiagonal matrix K of conductances per area,
/// and the widths W of the control volumes. It then acts on net heat flows.
///
/// Along the axis of a LayeredMedium, W also contains the conductivity across the layers, by which
/// eigenvalues along the other axes are multiplied, and the volumes are other numbers.
struct AxisOperator {
  std::int64_t first = 0;  ///< first unknown point
  std::int64_t count = 1;  ///< number of unknown points; 1 if nothing varies along the axis
  bool varies = false;     ///< false for an axis of one point, whose only eigenvalue is 0
  /// The ends, if the modes are sines or cosines: equal gaps, no Robin face.
  std::optional<AxisEnds> ends{};
  std::int64_t intervals = 0;  ///< if `ends` are given
  double weight = 0.0;         ///< factor of the eigenvalues 2 − 2 cos(…), if `ends` are given
  double width = 1.0;          ///< of a whole control volume, if `ends` are given; see integration
  Integration integration = Integration::per_volume;
  /// The pencil, if `ends` are not given.
  std::vector<double> diagonal{};      ///< of K
  std::vector<double> off_diagonal{};  ///< of K, one element less
  std::vector<double> widths{};        ///< diagonal of W
  std::vector<double> ground{};        ///< part of the diagonal of K that leads to no other point
  std::vector<double> volumes{};       ///< heat capacity times width, if they are not W
};

/// The operators of a separable problem along all axes.
struct SeparableOperator {
  PerAxis<AxisOperator> along{};
  /// The axis whose tridiagonal systems are solved for each pair of modes of the other axes; −1 if
  /// all axes have transforms.
  int tridiagonal = -1;

  /// Returns the axis that is solved last: the tridiagonal one, or else the last one that varies;
  /// −1 if there is none.
  [[nodiscard]] int last_axis() const;
  /// Returns how an axis that varies is solved on a backend: "fft", "dense" or "tridiagonal".
  [[nodiscard]] char const* kind(Backend backend, int axis) const;
};

/// Returns why a direct solver cannot solve the problem, as the end of a sentence: "a [[material]]
/// does not fit its tensor product"; an empty string if it can.
std::string obstacle_to_direct(Problem const& problem);

/// Returns the operator along an axis, divided by the diagonal of a Jacobi sweep for constant
/// coefficients, in units of medium_units() otherwise.
/// @param layers  find_layers(problem)
/// @pre  obstacle_to_direct(problem) is empty
AxisOperator axis_operator(Problem const& problem, std::optional<LayeredMedium> const& layers,
                           int axis);

/// Returns the operators along all axes, and which axis is tridiagonal on a backend: that of a
/// LayeredMedium, else the one whose transforms would be products with matrices of most operations.
/// If ranks share the grid, and all axes have fast Fourier transforms, it is the last one, unless
/// its lines cannot be cut (cuts_lines()). A periodic axis is never tridiagonal. The last one of
/// several equal axes is, since its lines are adjacent in memory.
/// @param ranks  that solve the problem together
/// @pre  obstacle_to_direct(problem) is empty
SeparableOperator separable_operator(Problem const& problem, Backend backend, int ranks = 1);

/// Returns the last axis of more than one point other than `last`; −1 if there is none.
int axis_before(Grid const& grid, int last);

/// Returns true if a grid is large enough to be distributed among ranks: it has as many points as
/// there are ranks along two axes, and exchanging values costs less than solving all of it on every
/// rank.
/// @param last  the axis that is solved last, as SeparableOperator::last_axis(); −1 if there is
/// none
bool is_worth_distributing(Problem const& problem, int last, int ranks);

/// Returns true if ranks that share the grid solve the tridiagonal systems while slabs of the grid
/// cut their lines: each rank has enough points, and no system is singular.
bool cuts_lines(Problem const& problem, SeparableOperator const& op, int ranks);

/// Returns the tridiagonal systems along an axis that is not periodic.
/// @param scale  factor of the operator
/// @param shift  reaction term
TridiagonalRows tridiagonal_rows(AxisOperator const& along, double scale, double shift);

/// Returns true if a backend transforms the axis by fast Fourier transforms.
bool is_by_fft(Backend backend, AxisOperator const& along);

/// Returns the smallest eigenvalue of −∇² with constant coefficients, in 1 / length², other than 0.
/// The l2 norm of the error is at most that of the residual divided by it.
double smallest_eigenvalue(Problem const& problem);

}  // namespace isotherm
