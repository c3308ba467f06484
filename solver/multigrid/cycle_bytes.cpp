#include "solver/multigrid/cycle_bytes.hpp"

#include "kernels/core/precision.hpp"
#include "solver/multigrid/coarsening.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

std::vector<double> cycle_bytes(Problem const& problem, MethodSettings const& method) {
  auto const field = static_cast<double>(value_bytes(problem.precision));
  auto const correction = static_cast<double>(value_bytes(correction_precision(problem, method)));
  // Where passes are as few as they can be. Of the field: u and the source read, the corrected u
  // and its residual written, the correction read. Of each level: down, the source read, correction
  // and rest written, and the rest read by the way to the coarser level; up, the correction read
  // and written with what comes from there, then read with the source, smoothed and written.
  double const outside = (needs_source_field(problem) ? 3.0 : 2.0) * field + 2.0 * correction;
  double const level = (3.0 + 1.0 + 2.0 + 3.0) * correction;
  std::vector<double> bytes{outside * static_cast<double>(problem.grid.point_count())};
  for (Problem const& grid : correction_problems(problem, method.multigrid.coarsest)) {
    bytes.push_back(level * static_cast<double>(grid.grid.point_count()));
  }
  return bytes;
}

}  // namespace isotherm
