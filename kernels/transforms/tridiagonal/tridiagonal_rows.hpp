#pragma once

#include <cstdint>
#include <vector>

namespace isotherm {

/// Maximum number of points of an axis with tridiagonal systems.
constexpr std::int64_t max_tridiagonal_points = std::int64_t{1} << 20;

/// The operators of parallel lines whose points form a chain of conductances. With the number μ of
/// a line, such as the sum of the eigenvalues along the other axes, row p is
///
///   (A e)_p = g_p−1 (e_p − e_p−1) + g_p (e_p − e_p+1) + (c_p + μ w_p) e_p
///
/// The conductances are positive, c, w and μ not negative. Conductances of gaps to Dirichlet points
/// and through Robin faces, and reaction terms, belong to c.
struct TridiagonalRows {
  std::vector<double> conductance{};  ///< g: to the next point; one value less than points
  std::vector<double> ground{};       ///< c
  std::vector<double> weight{};       ///< w: a width of the point's control volume
  /// Factors of the right-hand side at the first and the last point: 1/2 on Neumann faces if values
  /// are per volume, else 1.
  double first_factor = 1.0;
  double last_factor = 1.0;
};

/// Returns the numbers n_p by which a singular line, c = μ = 0, becomes solvable: if its last point
/// has the additional conductance `pin` to the ground, e_p − n_p e_last solves the line for the
/// right-hand side minus its mean, and vanishes at the last point.
///
/// The mean has the weights w. The numbers follow from the solution ρ for the right-hand side w:
/// n = 1 + pin ρ / Σ w, ρ_last = 0.
std::vector<double> singular_line_factors(TridiagonalRows const& rows, double pin);

}  // namespace isotherm
