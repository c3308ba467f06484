#pragma once

#include <array>

#include "decomposition/field/distributed_field.hpp"
#include "kernels/sweep/sweep.hpp"

namespace isotherm {

/// Two fields of one space that take turns: a pass reads the front field, writes the back field,
/// and exchanges them. References from front() and back() change their roles with each pass.
/// forward() and pass() are collective. Neither copyable nor movable.
template <class Real>
class FieldPair {
 public:
  /// @param space  must outlive the pair
  /// @param free  the points that sweeps change, in local indices, ghost layers included
  FieldPair(FieldSpace<Real>& space, LocalBox free)
      : space_(&space),
        fields_{DistributedField<Real>(space), DistributedField<Real>(space)},
        free_(free) {}

  /// Lets passes write the neighbours' ghost layers directly from the sweep (halo forwarding) if
  /// the transport can. Collective.
  void forward() { fields_[0].forward_with(fields_[1]); }

  /// The field that holds the present values.
  [[nodiscard]] DistributedField<Real>& front() { return fields_[front_]; }
  [[nodiscard]] DistributedField<Real> const& front() const { return fields_[front_]; }
  /// The other field, which the last pass read. The caller may overwrite it until the next pass.
  [[nodiscard]] DistributedField<Real>& back() { return fields_[1 - front_]; }
  /// The points that sweeps change.
  [[nodiscard]] LocalBox const& free() const { return free_; }

  /// Enqueues one pass of `plan.steps` steps of `rule` at all free points. Adds the norms of the
  /// last step's changes to `change` if it is not null.
  template <class Rule>
  void pass(Rule const& rule, SweepPlan const& plan, FieldView<Real const> source, Change* change) {
    pass(plan.steps, [&](LocalBox region, std::array<Forward<Real>, 2> const& forwards) {
      sweep(space_->queue(), rule,
            Pass<Real>{front().view(), back().writable(), source, region, free_, change, forwards},
            plan);
    });
  }

  /// Enqueues a pass of `steps` steps and the halo exchange that it needs, `steps` layers deep.
  /// @param step  step(region, forwards) enqueues the steps of the points of `region`, from front()
  ///              to back(), and writes the neighbours' ghost layers that `forwards` describes
  template <class Step>
  void pass(int steps, Step const& step) {
    HaloFiller<Real> const& halo = space_->halo();
    LocalBox const owned = space_->subdomain().owned();
    FieldView<Real> const after = back().writable();
    front().begin_halo();
    // Overlap communication with computation: the interior needs no ghost points, so it is swept
    // while halos travel. The rim follows when they have arrived.
    if (halo.overlaps()) {
      LocalBox const interior = halo.interior(steps);
      if (!interior.empty()) step(interior, std::array<Forward<Real>, 2>{});
      front().finish_halo();
      for (LocalBox const rim : difference(owned, interior)) {
        if (!rim.empty()) step(rim, std::array<Forward<Real>, 2>{});
      }
    } else {
      // Otherwise one sweep covers all points, and may forward its results to the neighbours.
      front().finish_halo();
      if (!owned.empty()) step(owned, halo.forwards(after));
      back().swept();
    }
    // The result becomes the front field.
    front_ = 1 - front_;
  }

 private:
  FieldSpace<Real>* space_;
  std::array<DistributedField<Real>, 2> fields_;
  LocalBox free_;
  std::size_t front_ = 0;  ///< index of the field that holds the values
};

}  // namespace isotherm
