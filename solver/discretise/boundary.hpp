#pragma once

#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// Returns the points that a step changes, in local indices: the whole grid without Dirichlet
/// faces, and the ghost layers beyond its other faces, `depth` deep, which fused steps compute,
/// too. In a heterogeneous medium only the ghost layers of periodic faces are included. Fixed
/// points inside the box are marked in the conductances (signed_conductivity()).
LocalBox free_box(Problem const& problem, Subdomain const& subdomain, int depth);

/// Returns this rank's points off the eliminated Dirichlet faces. In a heterogeneous medium they
/// include fixed points, which are marked.
LocalBox unknown_points(Problem const& problem, Subdomain const& subdomain);

/// Returns the number of such points of the whole grid.
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

  /// Enqueues setting all of them at time `time_s`. Collective.
  void set(DistributedField<Real>& field, double time_s) const;
  /// Enqueues setting those that vary in time. Collective.
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
