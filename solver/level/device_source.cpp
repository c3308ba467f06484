#include "solver/level/device_source.hpp"

#include "solver/discretise/compiled_function.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the coordinates of this rank's points, and the widths of their volumes if there are
/// units.
expressions::GridProgram::Axes axes_of(Subdomain const& subdomain,
                                       std::optional<MediumUnits> const& units) {
  Grid const& grid = subdomain.grid();
  GlobalBox const owned = subdomain.owned_global();
  expressions::GridProgram::Axes axes;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::int64_t i = owned.lower[axis]; i < owned.upper[axis]; ++i) {
      axes.coordinate[axis].push_back(grid.coordinate(axis, i));
    }
  }
  if (units) axes.width = volume_widths(grid, *units, owned);
  return axes;
}

}  // namespace

bool device_can_evaluate_source(Problem const& problem) {
  return problem.source.varies_in_time && compiled(problem.source) != nullptr &&
         !has_films_on_surfaces(problem);
}

DeviceSource::DeviceSource(Problem const& problem, std::optional<MediumUnits> const& units,
                           Subdomain const& subdomain, Queue& queue)
    : by_volume_(units.has_value()),
      divisor_(units ? units->rate() : 1.0),
      program_(queue, *compiled(problem.source), axes_of(subdomain, units)) {}

std::size_t DeviceSource::footprint(Problem const& problem, Backend backend, Extent3 owned) {
  bool const is_used = backend == Backend::cuda && device_can_evaluate_source(problem);
  return is_used ? expressions::GridProgram::footprint(backend, *compiled(problem.source), owned)
                 : 0;
}

}  // namespace isotherm
