#include "solver/discretise/boundary.hpp"

#include <algorithm>
#include <limits>

#include "solver/discretise/evaluate.hpp"

namespace isotherm {

namespace {

/// Removes the planes of Dirichlet faces from a box of the whole grid.
LocalBox without_dirichlet_faces(Problem const& problem, LocalBox whole) {
  for (Face const face : faces(problem.grid)) {
    if (!is_eliminated_dirichlet_face(problem, face)) continue;
    face.upper ? --whole.upper[face.axis] : ++whole.lower[face.axis];
  }
  return whole;
}

}  // namespace

LocalBox free_box(Problem const& problem, Subdomain const& subdomain, int depth) {
  LocalBox box = without_dirichlet_faces(problem, subdomain.grid_box());
  // A heterogeneous medium conducts nothing through its other faces, so nothing is swept beyond
  // them.
  bool const past_faces = !is_heterogeneous(problem);
  for (Face const face : faces(problem.grid)) {
    bool const closes = is(problem, face, BoundaryKind::periodic);
    if (is_eliminated_dirichlet_face(problem, face) || !(past_faces || closes)) continue;
    // Fused steps compute the ghost points beyond other faces themselves.
    (face.upper ? box.upper : box.lower)[face.axis] += face.upper ? depth : -depth;
  }
  return box;
}

LocalBox unknown_points(Problem const& problem, Subdomain const& subdomain) {
  return intersection(subdomain.owned(), free_box(problem, subdomain, 0));
}

std::int64_t unknown_count(Problem const& problem) {
  GlobalBox const grid = problem.grid.box();
  return without_dirichlet_faces(problem, {grid.lower, grid.upper}).point_count();
}

LocalBox face_points(Subdomain const& subdomain, Face face) {
  return subdomain.on_physical_face(face) ? subdomain.rim(face, 1) : LocalBox{};
}

LocalBox dirichlet_points(Problem const& problem, Subdomain const& subdomain, Face face) {
  if (!is_eliminated_dirichlet_face(problem, face)) return {};
  LocalBox points = face_points(subdomain, face);
  // Points on an edge belong to the earlier face.
  for (Face const earlier : faces(problem.grid)) {
    if (earlier.axis >= face.axis) break;
    if (!subdomain.on_physical_face(earlier) || !is_eliminated_dirichlet_face(problem, earlier)) {
      continue;
    }
    earlier.upper ? --points.upper[earlier.axis] : ++points.lower[earlier.axis];
  }
  return points.empty() ? LocalBox{} : points;
}

int deepest_halo(Problem const& problem, Subdomain const& subdomain) {
  std::int64_t deepest = std::numeric_limits<int>::max();
  for (Face const face : faces(problem.grid)) {
    std::int64_t const smallest = subdomain.smallest_extent(face.axis);
    bool const cut = subdomain.parts()[face.axis] > 1;
    // A part fills its neighbour's halo from its own points only.
    if (cut || is(problem, face, BoundaryKind::periodic)) {
      deepest = std::min(deepest, smallest);
    } else if (is(problem, face, BoundaryKind::neumann) && !is_heterogeneous(problem)) {
      deepest = std::min(deepest, smallest - 1);  // a face is not its own mirror image
    }
  }
  return static_cast<int>(deepest);
}

template <class Real>
DirichletFaces<Real>::DirichletFaces(Problem const& problem, Subdomain const& subdomain) {
  for (Face const face : faces(problem.grid)) {
    if (!is_eliminated_dirichlet_face(problem, face)) continue;
    parts_.push_back({dirichlet_points(problem, subdomain, face), condition(problem, face).value});
  }
}

template <class Real>
void DirichletFaces<Real>::set(Part const& part, DistributedField<Real>& field,
                               double time_s) const {
  if (part.value.is_constant()) {
    field.fill(part.points, static_cast<Real>(part.value.constant));
  } else {
    field.evaluate(part.points, at_points(field.subdomain(), part.value, time_s));
  }
}

template <class Real>
void DirichletFaces<Real>::set(DistributedField<Real>& field, double time_s) const {
  for (Part const& part : parts_) set(part, field, time_s);
}

template <class Real>
void DirichletFaces<Real>::set_varying(DistributedField<Real>& field, double time_s) const {
  for (Part const& part : parts_) {
    if (part.value.varies_in_time) set(part, field, time_s);
  }
}

template class DirichletFaces<float>;
template class DirichletFaces<double>;

}  // namespace isotherm
