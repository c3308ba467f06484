#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "solver/discretise/body_units.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The field that sweeps add at each step: the source and what Neumann faces let in; where the
/// problem has a body, what flows into the points' volumes (body_inflow).
template <class Real>
class SourceField {
 public:
  /// Evaluates the field at time 0 and fills its halo. `problem` outlives the field.
  /// @throws InputError  on every rank, where it is not finite. Collective.
  SourceField(Problem const& problem, Scheme const& scheme, FieldSpace<Real>& space);

  /// Enqueues evaluating again what depends on the time. The halo keeps its old values: only plans
  /// of several steps a pass read it, and with those nothing depends on the time.
  void set_time(double time_s);
  /// Enqueues evaluating all of it anew, for steps of another length. All ranks call it alike.
  void set_scheme(Scheme const& scheme, double time_s);
  [[nodiscard]] FieldView<Real const> view() const { return field_.view(); }
  [[nodiscard]] FieldView<Real> view() { return field_.view(); }

 private:
  [[nodiscard]] PointFunction at_time(double time_s) const;

  Problem const* problem_;
  Scheme scheme_;
  std::optional<BodyUnits> units_{};  ///< where it has a body
  DistributedField<Real> field_;
  std::vector<LocalBox> varying_;
};

}  // namespace isotherm
