#include "solver/multigrid/levels/cycle_bytes.hpp"

#include "kernels/core/precision.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the bytes per point of a heterogeneous level. Each pass, and the residual, reads the
/// correction, the source and the coefficients, and writes one field. Five more values per point
/// are those of the transfers and their weights. In 3D a pass fuses two sweeps, as on devices.
double medium_level_bytes(Problem const& problem, MultigridSettings const& settings,
                          double correction) {
  int const dimension = problem.grid.dimension;
  int const sweeps_a_pass = dimension == 3 ? 2 : 1;
  auto const passes = [&](int sweeps) { return (sweeps + sweeps_a_pass - 1) / sweeps_a_pass; };
  double const pass = 4.0 + dimension;
  return ((passes(settings.pre) + passes(settings.post) + 1) * pass + 5.0) * correction;
}

}  // namespace

double conjugate_gradient_bytes(Problem const& problem, double field, double correction) {
  double const conductances = problem.grid.dimension;
  double const source = problem.source.is_zero() ? 0.0 : 1.0;
  return (2.0 * (1.0 + conductances) + source + 2.0 + 1.0 + 1.0 + 2.0 + 3.0) * field +
         4.0 * correction;
}

double cycle_bytes(Problem const& problem, MethodSettings const& method) {
  auto const field = static_cast<double>(value_bytes(problem.precision));
  auto const correction = static_cast<double>(value_bytes(correction_precision(problem, method)));
  // The least number of passes with constant coefficients. Field: read u, source and correction,
  // write the corrected u and its residual. Level, downwards: read the source, write the correction
  // and the residual, and read the residual in the restriction. Upwards: read the correction and
  // write it with the prolongated one, then read it with the source and write it smoothed.
  bool const medium = is_heterogeneous(problem);
  double const outside = medium
                             ? conjugate_gradient_bytes(problem, field, correction)
                             : (needs_source_field(problem) ? 3.0 : 2.0) * field + 2.0 * correction;
  double const level = medium ? medium_level_bytes(problem, method.multigrid, correction)
                              : (3.0 + 1.0 + 2.0 + 3.0) * correction;
  double bytes = outside * static_cast<double>(problem.grid.point_count());
  for (Problem const& grid : correction_problems(problem, method.multigrid.coarsest)) {
    bytes += level * static_cast<double>(grid.grid.point_count());
  }
  return bytes;
}

}  // namespace isotherm
