#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "kernels/conduction/face_conductances.hpp"
#include "kernels/operators/conductances.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/level/medium/row_fields.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The conductances of a heterogeneous medium, in units of medium_units(), with the ghost layers of
/// their space.
///
/// Between two points, the conductance is the harmonic mean of the conductivities times area over
/// distance (finite volumes); if a material surface cuts the link, it is that of the pieces
/// (solver/discretise/shapes/link_conductivity.hpp). Conductances along x carry the marks of fixed
/// points in their signs.
///
/// The element (i, j, k) of the field along an axis is the conductance to the next point on that
/// axis. An upper Robin face uses the element of its point, a lower one the element before it.
/// Neither copyable nor movable.
template <class Real, int dimension>
class ConductanceFields {
 public:
  /// Evaluates the medium and computes the conductances. Collective.
  /// @param space  must outlive the fields
  /// @throws ValueRefusal  on every rank, if a conductivity or heat capacity is not a positive
  ///                       number, or a reaction or Robin coefficient is negative
  ConductanceFields(Problem const& problem, FieldSpace<Real>& space);

  /// Returns the conductance between a point and the next one along an axis, in units.
  /// @param lower  the point, in the indices of the rank's part; may lie one point before it
  using OfLink = std::function<double(int axis, Index3 lower)>;
  /// Replaces the conductances of the links of this rank's points; those that are 0 remain 0. It is
  /// called on all threads. Waits.
  void set_links(Subdomain const& subdomain, OfLink const& of_link);

  /// The operator as sweeps and residuals read it.
  [[nodiscard]] Conductances<Real, dimension> view() const;

  /// Returns an upper bound on the bytes that the object and its construction allocate, see
  /// Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Backend backend, Extent3 owned, Index3 halo);

 private:
  // The stages of the constructor, in this order. All are collective.
  /// Computes the conductances between neighbouring points.
  void make_between_points(Problem const& problem, MediumUnits const& units,
                           FieldSpace<Real>& space);
  /// Replaces the harmonic means at links that material surfaces cut.
  void make_cut_links(Problem const& problem, MediumUnits const& units, FieldSpace<Real>& space);
  /// Sets the marks of fixed points that have no next point along x.
  void mark_last_plane(Problem const& problem, FieldSpace<Real>& space);
  /// Computes the conductances through Robin faces.
  void make_through_faces(Problem const& problem, MediumUnits const& units,
                          FieldSpace<Real>& space);
  /// Computes the reaction term: conductances of films on the surfaces of fluids, and the reaction
  /// coefficient.
  void make_reaction(Problem const& problem, MediumUnits const& units, FieldSpace<Real>& space);
  /// Computes the reciprocal heat capacities if they vary.
  void make_capacity(Problem const& problem, MediumUnits const& units, FieldSpace<Real>& space);

  std::array<std::optional<DistributedField<Real>>, 3> along_{};  ///< conductances along each axis
  std::optional<DistributedField<Real>> reaction_{};  ///< only if the problem has a reaction term
  std::optional<DistributedField<Real>> inverse_capacity_{};  ///< only if the heat capacity varies
  std::optional<RowFields<Real>> inverse_width_{};  ///< reciprocal widths of control volumes
};

}  // namespace isotherm
