#pragma once

#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/queue.hpp"
#include "solver/discretise/staging.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The faces that a grid has: four in 2D, six in 3D, in the order of Face::index().
std::vector<Face> faces(Grid const& grid);

BoundaryCondition const& condition(Problem const& problem, Face face);
bool is(Problem const& problem, Face face, BoundaryKind kind);
bool has_dirichlet_face(Problem const& problem);

/// True where a boundary value or the source depends on the time.
bool varies_in_time(Problem const& problem);

/// @throws InputError  where a periodic face has no periodic partner, or the grid and the faces
///                     disagree about which axes are periodic
void check_boundary(Problem const& problem);

/// The points that a step changes, in the rank's frame: the whole grid without its Dirichlet faces,
/// and past its other faces the halo, `depth` deep, which is swept along.
LocalBox free_box(Problem const& problem, Subdomain const& subdomain, int depth);

/// This rank's unknowns.
LocalBox unknown_points(Problem const& problem, Subdomain const& subdomain);

/// Number of unknowns of the whole grid.
std::int64_t unknown_count(Problem const& problem);

/// The owned points that lie on a physical face of the grid; empty away from it.
LocalBox face_points(Subdomain const& subdomain, Face face);

/// The owned points that take their value from a Dirichlet face. Those of different faces are
/// disjoint: a point on an edge belongs to the first of its faces.
LocalBox dirichlet_points(Problem const& problem, Subdomain const& subdomain, Face face);

/// The most steps a pass, and so the deepest halo, for which every rank's halo can be filled: from
/// one neighbour on each side, and from the mirrored points of a Neumann face.
int deepest_halo(Problem const& problem, Subdomain const& subdomain);

/// Sets the values of Dirichlet faces.
template <class Real>
class DirichletFaces {
 public:
  DirichletFaces(Problem const& problem, Subdomain const& subdomain);

  /// Enqueues setting all values, as of time `time_s`.
  void set(Queue& queue, Staging<Real>& staging, FieldView<Real> field, double time_s) const;
  /// Enqueues setting those that depend on the time.
  void set_varying(Queue& queue, Staging<Real>& staging, FieldView<Real> field,
                   double time_s) const;

 private:
  struct Part {
    LocalBox points;
    ScalarFunction value;
  };
  void set(Part const& part, Queue& queue, Staging<Real>& staging, FieldView<Real> field,
           double time_s) const;

  Subdomain const* subdomain_;
  std::vector<Part> parts_;
};

}  // namespace isotherm
