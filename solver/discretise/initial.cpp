#include "solver/discretise/initial.hpp"

#include "kernels/faces/faces.hpp"
#include "kernels/gaussians/gaussians.hpp"
#include "solver/discretise/boundary.hpp"

namespace isotherm {

namespace {

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
    GlobalBox const points = points_between(problem.grid, box.lower, box.upper, UpperEnd::excluded);
    fill(queue, field, intersection(unknown, subdomain.to_local(points)),
         static_cast<Real>(box.value));
  }
  add_gaussians(queue, field, unknown, frame_of(subdomain), problem.grid.dimension,
                terms(initial.gaussians));
}

template void set_initial_values(Problem const&, Subdomain const&, Queue&, Staging<float>&,
                                 FieldView<float>);
template void set_initial_values(Problem const&, Subdomain const&, Queue&, Staging<double>&,
                                 FieldView<double>);

}  // namespace isotherm
