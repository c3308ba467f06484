#pragma once

#include <array>

#include "decomposition/field/distributed_field.hpp"
#include "kernels/sweep/sweep.hpp"

namespace isotherm {

/// Two fields of a space that take turns: a pass reads the one and writes the other. Stays where it
/// is.
template <class Real>
class FieldPair {
 public:
  /// @param space  outlives the pair
  /// @param free   the points that sweeps change, halo included
  FieldPair(FieldSpace<Real>& space, LocalBox free)
      : space_(&space),
        fields_{DistributedField<Real>(space), DistributedField<Real>(space)},
        free_(free) {}

  /// From now on passes fill the neighbours' halos as they go, where that is possible. Collective.
  void forward() { space_->halo().forward_between({&fields_[0].local(), &fields_[1].local()}); }

  /// The field that holds the values.
  [[nodiscard]] DistributedField<Real>& front() { return fields_[front_]; }
  [[nodiscard]] DistributedField<Real> const& front() const { return fields_[front_]; }
  /// The other one: what the last pass read, free to be used until the next.
  [[nodiscard]] DistributedField<Real>& back() { return fields_[1 - front_]; }
  [[nodiscard]] LocalBox const& free() const { return free_; }

  /// Enqueues one pass of `plan.steps` steps of `rule` at all free points. Adds what the last step
  /// changes to `change`, if that is not null.
  template <class Rule>
  void pass(Rule const& rule, SweepPlan const& plan, FieldView<Real const> source, Change* change) {
    pass(plan.steps, [&](LocalBox region, std::array<Forward<Real>, 2> const& forwards) {
      sweep(space_->queue(), rule,
            Pass<Real>{front().view(), back().view(), source, region, free_, change, forwards},
            plan);
    });
  }

  /// Enqueues a pass of `steps` steps: step(region, forwards) enqueues those of the points of a
  /// region, from front() to back(), and forwards what it is asked to.
  template <class Step>
  void pass(int steps, Step const& step) {
    HaloFiller<Real>& halo = space_->halo();
    LocalBox const owned = space_->subdomain().owned();
    FieldView<Real> const before = front().view();
    FieldView<Real> const after = back().view();
    halo.begin(before);
    if (halo.overlaps()) {
      LocalBox const interior = halo.interior(steps);
      if (!interior.empty()) step(interior, std::array<Forward<Real>, 2>{});
      halo.finish(before);
      for (LocalBox const rim : difference(owned, interior)) {
        if (!rim.empty()) step(rim, std::array<Forward<Real>, 2>{});
      }
    } else {
      halo.finish(before);
      if (!owned.empty()) step(owned, halo.forwards(after));
      halo.swept(after);
    }
    front_ = 1 - front_;
  }

 private:
  FieldSpace<Real>* space_;
  std::array<DistributedField<Real>, 2> fields_;
  LocalBox free_;
  std::size_t front_ = 0;  ///< which of the fields holds the values
};

}  // namespace isotherm
