#include "solver/initial.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/faces.hpp"
#include "kernels/gaussians.hpp"
#include "solver/boundary.hpp"

namespace isotherm {

namespace {

/// The first of an axis' points at or past `coordinate`, 0 … the number of points.
std::int64_t first_at_or_past(Grid const& grid, int axis, double coordinate) {
  auto const d = static_cast<std::size_t>(axis);
  double const place = std::ceil((coordinate - grid.lower[d]) / grid.spacing[d] - 1e-9);
  return static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(grid.points[axis])));
}

PointFrame frame_of(Subdomain const& subdomain) {
  Grid const& grid = subdomain.grid();
  return {{grid.lower[0], grid.lower[1], grid.lower[2]},
          {grid.spacing[0], grid.spacing[1], grid.spacing[2]},
          subdomain.owned_global().lower};
}

std::vector<GaussianTerm> terms(std::vector<Gaussian> const& gaussians) {
  std::vector<GaussianTerm> all;
  all.reserve(gaussians.size());
  for (auto const& [centre, width, height] : gaussians) {
    all.push_back({centre[0], centre[1], centre[2], width, height});
  }
  return all;
}

}  // namespace

GlobalBox index_box(Grid const& grid, InitialBox const& box) {
  GlobalBox indices = grid.box();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto const d = static_cast<std::size_t>(axis);
    indices.lower[axis] = first_at_or_past(grid, axis, box.lower[d]);
    indices.upper[axis] = first_at_or_past(grid, axis, box.upper[d]);
  }
  return indices;
}

template <class Real>
void set_initial_values(Problem const& problem, Subdomain const& subdomain, Queue& queue,
                        Staging<Real>& staging, FieldView<Real> field) {
  InitialState const& initial = problem.initial;
  LocalBox const unknown = unknown_points(problem, subdomain);
  if (initial.value.is_constant()) {
    fill(queue, field, unknown, static_cast<Real>(initial.value.constant));
  } else {
    staging.evaluate(queue, field, unknown, at_points(subdomain, initial.value, 0.0));
  }
  for (InitialBox const& box : initial.boxes) {
    LocalBox const points = subdomain.to_local(index_box(problem.grid, box));
    fill(queue, field, intersection(unknown, points), static_cast<Real>(box.value));
  }
  add_gaussians(queue, field, unknown, frame_of(subdomain), problem.grid.dimension,
                terms(initial.gaussians));
}

template void set_initial_values(Problem const&, Subdomain const&, Queue&, Staging<float>&,
                                 FieldView<float>);
template void set_initial_values(Problem const&, Subdomain const&, Queue&, Staging<double>&,
                                 FieldView<double>);

}  // namespace isotherm
