#include "solver/multigrid/cycle_bytes.hpp"

#include "kernels/core/precision.hpp"
#include "solver/multigrid/coarsening.hpp"
#include "solver/multigrid/cycle_types.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

std::vector<double> cycle_bytes(Problem const& problem, MethodSettings const& method) {
  auto const field = static_cast<double>(value_bytes(problem.precision));
  auto const correction = static_cast<double>(value_bytes(correction_precision(problem, method)));
  // Of the field: u and the source for the residual, u read and written for the correction; of the
  // correction: the residual written, the correction added. Of each level: two passes that read and
  // write the correction and read the source, the residual, the way down and the way up.
  double const outside = (needs_source_field(problem) ? 4.0 : 3.0) * field + 2.0 * correction;
  double const level = (2.0 * 3.0 + 3.0 + 1.0 + 2.0) * correction;
  std::vector<double> bytes{outside * static_cast<double>(problem.grid.point_count())};
  for (Problem const& grid : correction_problems(problem, method.multigrid.coarsest)) {
    bytes.push_back(level * static_cast<double>(grid.grid.point_count()));
  }
  return bytes;
}

}  // namespace isotherm
