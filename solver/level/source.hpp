#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The source term that sweeps add at each step: the problem's source and the Neumann fluxes, times
/// Scheme::source_factor. In a heterogeneous medium it is the heat flow into the points' volumes
/// (finite_volume_source), which does not depend on the step length.
///
/// The term is evaluated on the host, in float64, at this rank's unknowns, and rounded once to
/// Real.
template <class Real>
class SourceField {
 public:
  /// Evaluates the field at time 0. Collective.
  /// @param problem  must outlive the field
  /// @throws ValueRefusal  on every rank, if a value is not finite, or all non-zero values
  ///                       underflow in the field's precision
  SourceField(Problem const& problem, Scheme const& scheme, FieldSpace<Real>& space);

  /// Enqueues evaluating the points that vary in time.
  void set_time(double time_s);
  /// Enqueues evaluating all values for another step length. All ranks call it with the same
  /// arguments.
  void set_scheme(Scheme const& scheme, double time_s);
  [[nodiscard]] DistributedField<Real>& field() { return field_; }
  [[nodiscard]] DistributedField<Real> const& field() const { return field_; }

 private:
  /// Returns the function that evaluates the source term of a row of points.
  [[nodiscard]] PointFunction at_time(double time_s) const;

  Problem const* problem_;              ///< the caller's
  Scheme scheme_;                       ///< of the present step length
  std::optional<MediumUnits> units_{};  ///< only in heterogeneous media
  DistributedField<Real> field_;
  /// Boxes of points whose source term varies in time, the same number on every rank.
  std::vector<LocalBox> varying_;
};

}  // namespace isotherm
