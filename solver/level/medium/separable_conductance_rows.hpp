#pragma once

#include <cstdint>
#include <optional>

#include "kernels/operators/separable_conductances.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/level/medium/layered_medium.hpp"
#include "solver/level/medium/row_fields.hpp"

namespace isotherm {

/// Returns true if a medium has separable coefficients: its conductances are products of numbers
/// along the axes.
///
/// It must have constant conductivities and heat capacity, no fixed or insulated points, and
/// constant coefficients on its Robin faces. A medium with invalid numbers is not separable; the
/// general operator reports them.
bool is_separable(Problem const& problem);

/// Returns true if the conductance per area of a face is the same everywhere, or 0. Returns false
/// if the coefficient may overflow float32; the general operator then reports it.
bool has_same_conductance(Problem const& problem, MediumUnits const& units, Face face);

/// Returns the conductance per area between a point and the next one along an axis, in units. In
/// layers, along another axis than theirs, it is relative to LayeredMedium::across.
double gap_conductance(Problem const& problem, std::optional<LayeredMedium> const& layers,
                       MediumUnits const& units, int axis, std::int64_t index);
/// Returns the conductance per area of a Robin face, in units and likewise.
double relative_robin_conductance(Problem const& problem,
                                  std::optional<LayeredMedium> const& layers,
                                  MediumUnits const& units, Face face);

/// The conductances of a separable or layered medium, in units of medium_units(), as rows along the
/// axes.
///
/// The conductance along x between two points is (κ / h)(i) · w_y(j) · w_z(k) with the widths w of
/// control volumes. In a LayeredMedium along z, w_z is multiplied by the conductivity across z for
/// conductances, and by the heat capacity for volumes. The rows fit into caches, so a sweep reads
/// only the field and the source. Neither copyable nor movable.
template <class Real, int dimension>
class SeparableConductanceRows {
 public:
  /// Computes the rows. `space` must outlive them. @throws Error  if the medium is neither
  /// separable nor layered
  SeparableConductanceRows(Problem const& problem, FieldSpace<Real>& space);

  /// The operator as sweeps read it.
  [[nodiscard]] SeparableConductances<Real, dimension> view() const {
    return {inverse_gap_.view(), width_.view(), inverse_width_.view()};
  }

  /// Returns an upper bound on the bytes that the object allocates, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Extent3 owned, Index3 halo) {
    return 3 * RowFields<Real>::footprint(backend, owned, halo);
  }

 private:
  SeparableConductanceRows(Problem const& problem, std::optional<LayeredMedium> const& layers,
                           MediumUnits const& units, FieldSpace<Real>& space);

  /// Conductances per area between neighbouring points and through faces.
  RowFields<Real> inverse_gap_;
  /// Widths of the points' volumes.
  RowFields<Real> width_;
  /// Their reciprocals.
  RowFields<Real> inverse_width_;
};

}  // namespace isotherm
