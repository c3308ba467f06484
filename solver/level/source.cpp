#include "solver/level/source.hpp"

#include <algorithm>

#include "solver/discretise/boundary.hpp"

namespace isotherm {

namespace {

bool adds(Problem const& problem, Face face) {
  return is(problem, face, BoundaryKind::neumann) && !condition(problem, face).value.is_zero();
}

/// The share of one Neumann face in the source of its points.
struct NeumannTerm {
  int axis;
  std::int64_t plane;  ///< global index
  double factor;
  ScalarFunction derivative;
};

std::vector<NeumannTerm> neumann_terms(Problem const& problem, Scheme const& scheme) {
  std::vector<NeumannTerm> terms;
  for (Face const face : faces(problem.grid)) {
    if (!adds(problem, face)) continue;
    auto const d = static_cast<std::size_t>(face.axis);
    terms.push_back({face.axis, face.upper ? problem.grid.points[face.axis] - 1 : 0,
                     scheme.weight[d] * 2.0 * problem.grid.spacing[d],
                     condition(problem, face).value});
  }
  return terms;
}

/// The unknowns at which the field depends on the time.
std::vector<LocalBox> varying_points(Problem const& problem, Subdomain const& subdomain) {
  LocalBox const unknown = unknown_points(problem, subdomain);
  if (problem.source.varies_in_time) return {unknown};
  std::vector<LocalBox> boxes;
  for (Face const face : faces(problem.grid)) {
    if (!adds(problem, face) || !condition(problem, face).value.varies_in_time) continue;
    LocalBox const points = intersection(unknown, face_points(subdomain, face));
    if (!points.empty()) boxes.push_back(points);
  }
  return boxes;
}

}  // namespace

bool needs_source_field(Problem const& problem) {
  return !problem.source.is_zero() ||
         std::ranges::any_of(faces(problem.grid), [&](Face face) { return adds(problem, face); });
}

PointFunction source_per_step(Problem const& problem, Scheme const& scheme,
                              Subdomain const& subdomain, double time_s) {
  return [terms = neumann_terms(problem, scheme), source = problem.source, grid = problem.grid,
          factor = scheme.source_factor, first = subdomain.owned_global().lower,
          time_s](Index3 local) {
    Index3 const global = local + first;
    auto const [x, y, z] = coordinates(grid, global);
    double sum = source(x, y, z, time_s) * factor;
    for (NeumannTerm const& term : terms) {
      if (global[term.axis] == term.plane) sum += term.factor * term.derivative(x, y, z, time_s);
    }
    return sum;
  };
}

template <class Real>
SourceField<Real>::SourceField(Problem const& problem, Scheme const& scheme,
                               Subdomain const& subdomain, Queue& queue, Staging<Real>& staging,
                               Halo<Real>& halo, Index3 halo_points)
    : problem_(&problem),
      scheme_(scheme),
      subdomain_(&subdomain),
      field_(queue, subdomain.extent(), halo_points),
      varying_(varying_points(problem, subdomain)) {
  staging.evaluate(queue, field_.view(), unknown_points(problem, subdomain),
                   source_per_step(problem, scheme, subdomain, 0.0));
  halo.begin(field_.view());
  halo.finish(field_.view());
}

template <class Real>
void SourceField<Real>::set_time(Queue& queue, Staging<Real>& staging, double time_s) {
  if (varying_.empty()) return;
  PointFunction const value = source_per_step(*problem_, scheme_, *subdomain_, time_s);
  for (LocalBox const points : varying_) staging.evaluate(queue, field_.view(), points, value);
}

template class SourceField<float>;
template class SourceField<double>;

}  // namespace isotherm
