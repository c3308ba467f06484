#pragma once

#include <cstdint>

namespace isotherm {

/// The ends of an axis whose modes are sines or cosines.
///
/// An axis of N equal intervals has as many unknown points as modes:
///
///   dirichlet           N − 1   the inner points
///   neumann             N + 1   all points
///   dirichlet_neumann   N       the points 1 to N
///   neumann_dirichlet   N       the points 0 to N − 1
///   periodic            N       the points 0 to N − 1
///
/// A Neumann face cuts the control volume of its point in half. The operator's row is there
/// 2 (u_0 − u_1), which is symmetric in the inner product with weight 1/2 at such a point.
enum class AxisEnds : std::uint8_t {
  dirichlet,
  neumann,
  dirichlet_neumann,  ///< Dirichlet at the lower end
  neumann_dirichlet,  ///< Neumann at the lower end
  periodic,
};

/// The meaning of the values that a transform maps to modes.
enum class Integration : std::uint8_t {
  /// Values of a field, or a right-hand side divided by the control volume. The transform weights
  /// the points on Neumann faces by 1/2.
  per_volume,
  /// Amounts per control volume, which contain these weights already.
  integrated,
};

}  // namespace isotherm
