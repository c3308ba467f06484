#include "solver/discretise/initial.hpp"

#include "kernels/gaussians/gaussian_sum.hpp"
#include "kernels/gaussians/gaussians.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"

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
  for (auto const& [center, width, height] : gaussians) {
    all.push_back({center[0], center[1], center[2], width, height});
  }
  return all;
}

}  // namespace

template <class Real>
void set_initial_values(Problem const& problem, Queue& queue, DistributedField<Real>& field) {
  InitialState const& initial = problem.initial;
  Subdomain const& subdomain = field.subdomain();
  LocalBox const unknown = unknown_points(problem, subdomain);
  if (initial.value.is_constant()) {
    field.fill(unknown, static_cast<Real>(initial.value.constant));
  } else {
    field.evaluate(unknown, at_points(subdomain, initial.value, 0.0));
  }
  for (InitialBox const& box : initial.boxes) {
    GlobalBox const points = points_between(problem.grid, box.lower, box.upper, UpperEnd::excluded);
    field.fill(intersection(unknown, subdomain.to_local(points)), static_cast<Real>(box.value));
  }
  add_gaussians(queue, field.view(), unknown, frame_of(subdomain), problem.grid.dimension,
                terms(initial.gaussians));
}

std::size_t initial_footprint(Problem const& problem, Backend backend) {
  if (backend == Backend::cpu) return 0;
  std::size_t const bytes = problem.initial.gaussians.size() * sizeof(PreparedGaussian);
  return Buffer::footprint(backend, Space::device, bytes);
}

template void set_initial_values(Problem const&, Queue&, DistributedField<float>&);
template void set_initial_values(Problem const&, Queue&, DistributedField<double>&);

}  // namespace isotherm
