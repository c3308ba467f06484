#pragma once

#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// Returns the points that a step changes, in local indices: the whole grid without Dirichlet
/// faces, and beyond its other faces the ghost layer, `depth` deep, which is swept along. In a
/// heterogeneous medium only the ghost layers of periodic faces are included; fixed points inside
/// the box are marked (kept_points.hpp).
LocalBox free_box(Problem const& problem, Subdomain const& subdomain, int depth);

/// Returns this rank's unknowns: its points off the Dirichlet faces.
LocalBox unknown_points(Problem const& problem, Subdomain const& subdomain);

/// Returns the number of unknowns of the whole grid.
std::int64_t unknown_count(Problem const& problem);

/// Returns the owned points on a physical face of the grid; empty if the rank has none.
LocalBox face_points(Subdomain const& subdomain, Face face);

/// Returns the owned points that take their values from a Dirichlet face. The sets of different
/// faces are disjoint: a point on an edge belongs to the face of the lowest axis.
LocalBox dirichlet_points(Problem const& problem, Subdomain const& subdomain, Face face);

/// Returns the depth of the deepest halo that every rank can fill, which bounds the number of fused
/// steps. Each side is filled from a single neighbour, or from the mirrored points of a Neumann
/// face.
int deepest_halo(Problem const& problem, Subdomain const& subdomain);

/// Sets the values of Dirichlet faces.
template <class Real>
class DirichletFaces {
 public:
  /// Finds this rank's points on Dirichlet faces.
  DirichletFaces(Problem const& problem, Subdomain const& subdomain);

  /// Enqueues setting all of them at time `time_s`.
  void set(DistributedField<Real>& field, double time_s) const;
  /// Enqueues setting those that vary in time.
  void set_varying(DistributedField<Real>& field, double time_s) const;

 private:
  /// The points of one face on this rank, maybe none.
  struct Part {
    LocalBox points;
    ScalarFunction value;
  };
  void set(Part const& part, DistributedField<Real>& field, double time_s) const;

  std::vector<Part> parts_{};  ///< one for each Dirichlet face of the grid
};

}  // namespace isotherm
