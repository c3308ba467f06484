#include "solver/multigrid/cycle_bytes.hpp"

#include "kernels/core/precision.hpp"
#include "solver/multigrid/coarsening.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Of a point of a body's field in a step of conjugate gradients: its residual, the direction, what
/// the operator makes of it, three products, and the correction.
double body_bytes(Problem const& problem, double field, double correction) {
  double const conductances = problem.grid.dimension;
  double const source = problem.source.is_zero() ? 0.0 : 1.0;
  return (2.0 * (1.0 + conductances) + source + 2.0 + 1.0 + 1.0 + 2.0 + 3.0) * field +
         4.0 * correction;
}

/// Of a point of one of its levels: each pass reads correction, source and coefficients and writes
/// the correction, so does the residual; transfers read and write, and have weights. In 3D a pass
/// takes two sweeps, as it does on devices.
double body_level_bytes(Problem const& problem, MultigridSettings const& settings,
                        double correction) {
  int const dimension = problem.grid.dimension;
  int const sweeps_a_pass = dimension == 3 ? 2 : 1;
  auto const passes = [&](int sweeps) { return (sweeps + sweeps_a_pass - 1) / sweeps_a_pass; };
  double const pass = 4.0 + dimension;
  return ((passes(settings.pre) + passes(settings.post) + 1) * pass + 5.0) * correction;
}

}  // namespace

std::vector<double> cycle_bytes(Problem const& problem, MethodSettings const& method) {
  auto const field = static_cast<double>(value_bytes(problem.precision));
  auto const correction = static_cast<double>(value_bytes(correction_precision(problem, method)));
  // Where passes are as few as they can be. Of the field: u and the source read, the corrected u
  // and its residual written, the correction read. Of each level: down, the source read, correction
  // and rest written, and the rest read by the way to the coarser level; up, the correction read
  // and written with what comes from there, then read with the source, smoothed and written.
  bool const body = has_body(problem);
  double const outside = body
                             ? body_bytes(problem, field, correction)
                             : (needs_source_field(problem) ? 3.0 : 2.0) * field + 2.0 * correction;
  double const level = body ? body_level_bytes(problem, method.multigrid, correction)
                            : (3.0 + 1.0 + 2.0 + 3.0) * correction;
  std::vector<double> bytes{outside * static_cast<double>(problem.grid.point_count())};
  for (Problem const& grid : correction_problems(problem, method.multigrid.coarsest)) {
    bytes.push_back(level * static_cast<double>(grid.grid.point_count()));
  }
  return bytes;
}

}  // namespace isotherm
