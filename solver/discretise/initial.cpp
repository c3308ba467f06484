#include "solver/discretise/initial.hpp"

#include <utility>
#include <vector>

#include "kernels/gaussians/gaussian_sum.hpp"
#include "kernels/gaussians/gaussians.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"

namespace isotherm {

namespace {

/// Describes the positions of the points of a uniform grid.
PointFrame frame_of(Subdomain const& subdomain) {
  Grid const& grid = subdomain.grid();
  return {{grid.lower[0], grid.lower[1], grid.lower[2]},
          {grid.spacing[0], grid.spacing[1], grid.spacing[2]},
          subdomain.owned_global().lower};
}

/// Converts the problem's Gaussians to the kernels' representation.
std::vector<GaussianTerm> terms(std::vector<Gaussian> const& gaussians) {
  std::vector<GaussianTerm> all;
  all.reserve(gaussians.size());
  for (auto const& [center, width, height] : gaussians) {
    all.push_back({center[0], center[1], center[2], width, height});
  }
  return all;
}

/// Returns the function of the complete initial state. It serves graded grids, whose point
/// positions only the host knows; on uniform grids the device computes them itself.
template <class Real>
PointFunction state_at_points(Problem const& problem, Subdomain const& subdomain) {
  std::vector<std::pair<GlobalBox, double>> boxes;
  for (InitialBox const& box : problem.initial.boxes) {
    boxes.emplace_back(points_between(problem.grid, box.lower, box.upper, UpperEnd::excluded),
                       box.value);
  }
  std::vector<PreparedGaussian> prepared;
  int const dimension = problem.grid.dimension;
  for (GaussianTerm const& term : terms(problem.initial.gaussians)) {
    prepared.push_back(prepare(term, dimension));
  }
  return [grid = subdomain.grid(), first = subdomain.owned_global().lower, dimension,
          value = problem.initial.value, boxes, prepared](Index3 local) {
    Index3 const point = local + first;
    auto const [x, y, z] = coordinates(grid, point);
    double under = value(x, y, z, 0.0);
    // The last box that contains the point holds.
    for (auto const& [box, inside] : boxes) {
      if (box.contains(point.x, point.y, point.z)) under = inside;
    }
    Position const here{x, y, dimension == 3 ? z : 0.0};
    double sum = 0.0;
    for (PreparedGaussian const& term : prepared) sum += gaussian_at(term, here);
    // Rounded like a stored value, so both ways give the same bits.
    return static_cast<double>(static_cast<Real>(under)) + sum;
  };
}

}  // namespace

template <class Real>
void set_initial_values(Problem const& problem, Queue& queue, DistributedField<Real>& field) {
  InitialState const& initial = problem.initial;
  Subdomain const& subdomain = field.subdomain();
  LocalBox const unknown = unknown_points(problem, subdomain);
  // Graded grids: everything is evaluated on the host in one go.
  if (problem.grid.is_graded() && !initial.gaussians.empty()) {
    return field.evaluate(unknown, state_at_points<Real>(problem, subdomain));
  }
  if (initial.value.is_constant()) {
    field.fill(unknown, static_cast<Real>(initial.value.constant));
  } else {
    field.evaluate(unknown, at_points(subdomain, initial.value, 0.0));
  }
  // Later boxes overwrite earlier ones.
  for (InitialBox const& box : initial.boxes) {
    GlobalBox const points = points_between(problem.grid, box.lower, box.upper, UpperEnd::excluded);
    field.fill(intersection(unknown, subdomain.to_local(points)), static_cast<Real>(box.value));
  }
  add_gaussians(queue, field.writable(), unknown, frame_of(subdomain), problem.grid.dimension,
                terms(initial.gaussians));
}

std::size_t initial_footprint(Problem const& problem, Backend backend) {
  // A copy of the Gaussians in the queue's memory.
  std::size_t const bytes = problem.initial.gaussians.size() * sizeof(PreparedGaussian);
  return Buffer::footprint(backend, Space::device, bytes);
}

template void set_initial_values(Problem const&, Queue&, DistributedField<float>&);
template void set_initial_values(Problem const&, Queue&, DistributedField<double>&);

}  // namespace isotherm
