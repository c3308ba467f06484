#pragma once

#include <vector>

#include "solver/discretise/scheme.hpp"
#include "solver/discretise/staging.hpp"
#include "solver/level/halo.hpp"

namespace isotherm {

/// True where a step adds anything to the rule: a source, or the derivative on a Neumann face.
bool needs_source_field(Problem const& problem);

/// What a step adds at a point, in float64: source_factor · f, and for each Neumann face that the
/// point lies on weight · 2 h g, in the order of the faces.
PointFunction source_per_step(Problem const& problem, Scheme const& scheme,
                              Subdomain const& subdomain, double time_s);

/// The field that sweeps add at each step.
template <class Real>
class SourceField {
 public:
  /// Evaluates the field at time 0 and fills its halo.
  SourceField(Problem const& problem, Scheme const& scheme, Subdomain const& subdomain,
              Queue& queue, Staging<Real>& staging, Halo<Real>& halo, Index3 halo_points);

  /// Enqueues evaluating again what depends on the time. The halo keeps its old values: only plans
  /// of several steps a pass read it, and with those nothing depends on the time.
  void set_time(Queue& queue, Staging<Real>& staging, double time_s);
  [[nodiscard]] FieldView<Real const> view() const { return field_.view(); }

 private:
  Problem const* problem_;
  Scheme scheme_;
  Subdomain const* subdomain_;
  Field<Real> field_;
  std::vector<LocalBox> varying_;
};

}  // namespace isotherm
