#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "decomposition/field/values_with_halo.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/multigrid/heterogeneous_residual.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/flux/heat_content.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/level/medium/conductance_fields.hpp"
#include "solver/nonlinear/local_inflow.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// The terms of an implicit time step that are added to the net heat flow into a control volume:
/// what the volume stores, and what flowed into it before the step.
///
///   history − rate V (H(u) − H(before))
struct StepTerms {
  double rate = 0.0;             ///< reciprocal length of the step, in units of the problem's flows
  std::vector<double> before{};  ///< the field before the step; dense, x fastest
  std::vector<double> history{};  ///< F of that field; empty: none
};

/// The net heat flow into each control volume, in units of the reference problem:
///
///   F(u) = Σ g(u, u') (u' − u) + q(u)
///
/// In a time step, the terms of StepTerms are added. The equation is then F = 0, with conductances
/// that depend on the values at both ends (mean_between()) and the local inflow q. Expressions are
/// evaluated on the host, in float64; everything else is computed in the queue's memory. Neither
/// copyable nor movable.
template <int dimension>
class NonlinearOperator {
 public:
  /// Computes the conductances of the reference problem. Collective. All arguments must outlive the
  /// object.
  NonlinearOperator(mpi::Communicator const& ranks, Problem const& problem,
                    Problem const& reference, FieldSpace<double>& space)
      : ranks_(&ranks),
        problem_(&problem),
        reference_(&reference),
        space_(&space),
        units_(medium_units(reference)),
        links_(link_conductivity(problem)),
        inflow_(problem, units_, space.subdomain().owned_global()),
        content_(problem),
        unknown_(unknown_points(problem, space.subdomain())),
        fields_(reference, space),
        source_(space) {
    has_source_ = !inflow_.is_zero();
    varies_ = has_varying_conductivity(problem);
  }

  /// Returns an upper bound on the bytes that it allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& reference, Subdomain const& subdomain,
                               Backend backend) {
    Index3 const halo = FieldSpace<double>::halo_points_of(reference.grid, 1);
    return ConductanceFields<double, dimension>::footprint(reference, backend, subdomain.extent(),
                                                           halo) +
           Field<double>::footprint(backend, subdomain.extent(), halo);
  }

  /// The box of this rank's unknown points.
  [[nodiscard]] LocalBox const& unknown() const { return unknown_; }
  [[nodiscard]] LocalInflow const& inflow() const { return inflow_; }
  /// The units of F.
  [[nodiscard]] MediumUnits const& units() const { return units_; }
  /// Sets the time of sources, of faces and of conductivities.
  void set_time(double time_s) {
    time_s_ = time_s;
    inflow_.set_time(time_s);
  }
  [[nodiscard]] double time_s() const { return time_s_; }
  /// Sets the terms of a time step; none: F is the net heat flow alone.
  void set_step(std::optional<StepTerms> step) { step_ = std::move(step); }
  /// True if F is that of a time step.
  [[nodiscard]] bool is_step() const { return step_.has_value(); }
  /// True if a conductivity depends on u or t.
  [[nodiscard]] bool varies() const { return varies_; }
  /// True if the local terms of F depend on u.
  [[nodiscard]] bool has_slope() const { return step_ || inflow_.depends_on_u(); }
  /// Returns the derivative of the local terms of F at a point (global index), with the opposite
  /// sign.
  [[nodiscard]] double slope(Index3 global, double u) const {
    double const of_inflow = inflow_.depends_on_u() ? inflow_.slope(global, u) : 0.0;
    if (!step_) return of_inflow;
    return of_inflow +
           step_->rate * volume(problem_->grid, units_, global) * content_.capacity(global, u);
  }
  /// The conductances for the values that were set last.
  [[nodiscard]] Conductances<double, dimension> conductances() const {
    Conductances<double, dimension> result = fields_.view();
    result.reaction = {};  // that of films, which the local inflow has
    return result;
  }

  /// Evaluates the coefficients for these values of this rank's points. Coefficients that are not
  /// valid become NaN. Collective; waits.
  /// @param u  dense, x fastest
  void set_values(std::vector<double> const& u) {
    Subdomain const& subdomain = space_->subdomain();
    if (varies_) {
      ValuesWithHalo<double> const values(*ranks_, subdomain, u.data());
      fields_.set_links(subdomain, [&](int axis, Index3 lower) {
        Index3 upper = lower;
        ++upper[axis];
        Index3 global = subdomain.to_global(lower);
        for (int other = 0; other < 3; ++other) {
          global[other] = problem_->grid.on_axis(other, global[other]);
        }
        ValuesOfLink const ends{value_at_point(values, lower), value_at_point(values, upper),
                                time_s_};
        return conductance_of_link(*problem_, units_, links_, axis, global, ends);
      });
    }
    if (has_source_ || step_) {
      Extent3 const n = subdomain.extent();
      source_.evaluate(unknown_, [&](Index3 p) {
        auto const at = static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x);
        return local_terms(subdomain.to_global(p), at, u[at]);
      });
      // Without a step, a field of zeros follows one of stored heat.
      has_source_ = step_ || !inflow_.is_zero();
    }
    // A trial of a step may lead to values that are not finite.
    (void)space_->staging().take_not_finite();
    space_->queue().wait();
  }

  /// Enqueues evaluating F at the unknown points, for the values that were set last. Collective.
  /// @param field  these values
  /// @param out     receives F; may be none
  /// @param change  receives the norms of F / V; may be null
  /// @param by_diagonal  norms of F divided by the sum of the conductances
  void evaluate(DistributedField<double>& field, FieldView<double> out, Change* change,
                bool by_diagonal = false) {
    ResidualPass<double, double> pass{
        field.with_halo(), source_.view(), out, unknown_, 1.0, change};
    pass.norms_by_diagonal = by_diagonal;
    TimelineScope const scope("residual", space_->queue());
    evaluate_heterogeneous_residual<double>(space_->queue(), conductances(), pass);
  }

  /// Returns φ = κ(u, t) / κ(reference value, 0) at a point (global indices). Unknowns w = φ δu
  /// make Newton's equations symmetric, with the conductances of the reference problem.
  [[nodiscard]] double scaling(Index3 global, double u) const {
    return varies_ ? scaling_along(0, global, u) : 1.0;
  }
  /// Returns the largest φ of all axes, along which conductivities may differ.
  [[nodiscard]] double largest_scaling(Index3 global, double u) const {
    double largest = 0.0;
    for (int axis = 0; axis < dimension; ++axis) {
      largest = std::max(largest, varies_ ? scaling_along(axis, global, u) : 1.0);
    }
    return largest;
  }
  /// Returns c(u) at a point (global index).
  [[nodiscard]] double capacity(Index3 global, double u) const {
    return content_.capacity(global, u);
  }

 private:
  [[nodiscard]] double scaling_along(int axis, Index3 global, double u) const {
    return conductivity_at(*problem_, axis, global, u, time_s_) /
           conductivity_at(*reference_, axis, global);
  }
  /// Returns the terms of F at a point that do not come from its neighbours.
  /// @param at  dense index of the point
  [[nodiscard]] double local_terms(Index3 global, std::size_t at, double u) const {
    double const inflow = inflow_.is_zero() ? 0.0 : inflow_(global, u);
    if (!step_) return inflow;
    double const stored = step_->rate * volume(problem_->grid, units_, global) *
                          content_.between(global, step_->before[at], u);
    return inflow - stored + (step_->history.empty() ? 0.0 : step_->history[at]);
  }
  /// Returns the value at a point of the rank's part, or one point beyond it along an axis.
  [[nodiscard]] double value_at_point(ValuesWithHalo<double> const& values, Index3 p) const {
    bool const beyond = p.x < 0 || p.x >= space_->subdomain().extent().x;
    return beyond ? *values.value_beyond_row(p.x, p.y, p.z) : values.row(p.y, p.z)[p.x];
  }

  mpi::Communicator const* ranks_;
  Problem const* problem_;
  Problem const* reference_;
  FieldSpace<double>* space_;
  MediumUnits units_;
  std::optional<LinkConductivity> links_;
  LocalInflow inflow_;
  HeatContent content_;
  std::optional<StepTerms> step_{};
  LocalBox unknown_;
  double time_s_ = 0.0;
  bool varies_ = false;      ///< a conductivity depends on u or t
  bool has_source_ = false;  ///< source_ may hold values that are not 0
  ConductanceFields<double, dimension> fields_;
  DistributedField<double> source_;
};

}  // namespace isotherm
