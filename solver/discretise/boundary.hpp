#pragma once

#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// The points that a step changes, in the rank's frame: the whole grid without its Dirichlet faces,
/// and past its other faces the halo, `depth` deep, which is swept along; where a problem has a
/// body, past periodic ones only, and points among them that keep their values (kept_points.hpp).
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
  void set(DistributedField<Real>& field, double time_s) const;
  /// Enqueues setting those that depend on the time.
  void set_varying(DistributedField<Real>& field, double time_s) const;

 private:
  struct Part {
    LocalBox points;
    ScalarFunction value;
  };
  void set(Part const& part, DistributedField<Real>& field, double time_s) const;

  std::vector<Part> parts_{};
};

}  // namespace isotherm
