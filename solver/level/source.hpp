#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/level/device_source.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The source term that sweeps add at each step: the problem's source and the Neumann fluxes, times
/// Scheme::source_factor. In a heterogeneous medium it is the heat flow into the points' volumes
/// (finite_volume_source), which does not depend on the step length.
///
/// The term is evaluated in float64 at this rank's unknowns, and rounded once to Real. A compiled
/// expression in t is evaluated where the field lies; everything else on the host.
template <class Real>
class SourceField {
 public:
  /// Evaluates the field at time 0. Collective.
  /// @param problem  must outlive the field
  /// @throws ValueRefusal  on every rank, if a value is not finite, or all non-zero values
  ///                       underflow in the field's precision
  /// @param on_backend  evaluate what DeviceSource can on the queue's backend, not on the host. By
  ///                    default on devices only: CPUs evaluate rows in vectors. The bits are equal.
  SourceField(Problem const& problem, Scheme const& scheme, FieldSpace<Real>& space,
              std::optional<bool> on_backend = std::nullopt);

  /// Enqueues evaluating the points that vary in time.
  void set_time(double time_s);
  /// Enqueues evaluating all values for another step length. All ranks call it with the same
  /// arguments.
  void set_scheme(Scheme const& scheme, double time_s);
  /// Returns a point and a time at which the backend found a value that is not finite. What the
  /// host evaluates is reported by the field's space. Waits if the backend evaluates.
  [[nodiscard]] std::optional<expressions::GridProgram::Fault> take_fault();
  [[nodiscard]] DistributedField<Real>& field() { return field_; }
  [[nodiscard]] DistributedField<Real> const& field() const { return field_; }

 private:
  /// Returns the function that evaluates the source term of a row of points.
  [[nodiscard]] PointFunction at_time(double time_s) const;
  /// Enqueues evaluating all points, on the backend as far as possible.
  void evaluate(double time_s);

  Problem const* problem_;              ///< the caller's
  Queue* queue_;                        ///< of the field
  Scheme scheme_;                       ///< of the present step length
  std::optional<MediumUnits> units_{};  ///< only in heterogeneous media
  DistributedField<Real> field_;
  /// Boxes of points whose source term varies in time, the same number on every rank.
  std::vector<LocalBox> varying_;
  LocalBox unknown_;                          ///< this rank's unknowns
  std::optional<RowFunction> rows_{};         ///< evaluates a source in t on the host
  std::optional<DeviceSource> on_backend_{};  ///< evaluates the source without faces
  /// Boxes of points with the flux of a face, which the host evaluates.
  std::vector<LocalBox> with_flux_{};
};

}  // namespace isotherm
