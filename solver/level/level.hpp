#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/core/error.hpp"
#include "kernels/multigrid/conducted_residual.hpp"
#include "kernels/multigrid/mean.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "kernels/sweep/resident.hpp"
#include "kernels/sweep/sweep.hpp"
#include "kernels/updates/conducting_rules.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/level/evaluation_fault.hpp"
#include "solver/level/field_pair.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/level/level_operator.hpp"
#include "solver/level/source.hpp"
#include "solver/level/unknowns/free_islands.hpp"
#include "solver/level/unknowns/kept_points.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// Returns an upper bound on the bytes that a Level allocates, see Buffer::footprint.
template <class Real>
std::size_t level_footprint(Problem const& problem, Subdomain const& subdomain, Backend backend,
                            int depth, TransportKind transport) {
  // Two fields that take turns, and the source if there is one.
  std::size_t const fields = needs_source_field(problem) ? 3 : 2;
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, depth);
  return fields * Field<Real>::footprint(backend, subdomain.extent(), halo) +
         FieldSpace<Real>::footprint(backend, subdomain, depth, transport) +
         operator_footprint<Real>(problem, backend, subdomain.extent(), halo) +
         FreeIslands<Real>::footprint(problem, subdomain, backend) +
         initial_footprint(problem, backend);
}

/// One grid of a relaxation or time-stepping method: the operator, the field it is applied to, and
/// the field's source, boundary values and ghost layers.
///
/// Updates advance the field one pass at a time; a pass may fuse several steps (temporal blocking).
/// Neither copyable nor movable. The usual sequence of calls:
///
///     Level<Operator> level(ranks, problem, subdomain, queue, op, scheme, plan.steps, transport);
///     level.set_initial();
///     level.set_varying_boundary(time_s);             // only if boundary values vary in time
///     level.pass(update, plan, /*change=*/nullptr);   // plan.steps steps
///     level.check_varying();
template <class Operator>
class Level {
 public:
  using Real = typename Operator::Real;

  /// Makes a field that is zero except for its boundary values. Collective.
  /// @param depth  of the ghost layer: the maximum number of steps in a pass
  /// @throws ValueRefusal  on every rank, if a value is not finite
  /// All arguments passed by reference must outlive the level.
  Level(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& subdomain,
        Queue& queue, Operator const& of, Scheme const& scheme, int depth, TransportKind transport)
      : problem_(&problem),
        queue_(&queue),
        space_(ranks, subdomain, queue, halo_shape(problem, depth), transport),
        pair_(space_, free_box(problem, subdomain, depth)),
        operator_(of, problem, space_),
        dirichlet_(problem, subdomain),
        kept_(problem, subdomain) {
    pair_.forward();
    if (needs_source_field(problem)) source_.emplace(problem, scheme, space_);
    set_boundary(0.0);
    field().check_evaluated([&](Index3 p) { return faulty_boundary(problem, subdomain, p); });
  }

  /// Makes the source of a steady problem compatible with its null space, see FreeIslands.
  /// Collective.
  /// @param factor  residual factor of the scheme
  /// @returns  a sentence about what was subtracted if it exceeds rounding, else an empty string
  [[nodiscard]] std::string make_compatible(double factor) {
    if (!source_ || !may_have_free_values(*problem_)) return {};
    FreeIslands<Real> islands(space_.ranks(), *problem_, subdomain(), *queue_);
    return islands.make_compatible(source_->view(), factor);
  }

  /// Sets the initial values, and those of fixed points. Collective.
  /// @throws ValueRefusal  as the constructor does
  void set_initial() {
    space_.halo().forget();
    set_initial_values(*problem_, *queue_, field());
    field().check_evaluated(
        [&](Index3 p) { return faulty_initial_value(*problem_, subdomain(), p); });
    kept_.set(field(), 0.0);
  }

  [[nodiscard]] Subdomain const& subdomain() const { return space_.subdomain(); }
  [[nodiscard]] HaloFiller<Real> const& halo() const { return space_.halo(); }
  /// The field that holds the present values.
  [[nodiscard]] DistributedField<Real>& field() { return pair_.front(); }
  [[nodiscard]] DistributedField<Real> const& field() const { return pair_.front(); }

  /// Makes the field constant except for its boundary values, and returns the constant. It is one
  /// of the given values, so adding a constant to all given values adds it to the field, too.
  /// Collective.
  double set_constant() {
    double const level = kept_.given_level(space_.ranks(), *problem_, subdomain());
    add_constant(*queue_, field().view(), subdomain().owned(), level);
    set_boundary(0.0);
    return level;
  }
  /// The conductances that show which points take part in the heat flow; none with constant
  /// coefficients.
  [[nodiscard]] Links<Real> links() const {
    if constexpr (std::is_same_v<Operator, Conductances<Real, Operator::dimension>>) {
      return {operator_.get().x, operator_.get().y, operator_.get().z};
    } else {
      return {};
    }
  }

  /// Returns the number of unknowns of the whole grid. Collective.
  [[nodiscard]] std::int64_t unknowns() const {
    return unknown_count(*problem_) - kept_.count_of_all(space_.ranks());
  }

  /// Enqueues setting the values of Dirichlet faces and fixed points at time `time_s`.
  void set_boundary(double time_s) {
    space_.halo().forget();
    kept_.set(field(), time_s);
    dirichlet_.set(field(), time_s);
  }
  /// Enqueues setting those values that vary in time. If any do, passes have a single step. A value
  /// that is not finite is reported by check_varying().
  void set_varying_boundary(double time_s) {
    space_.halo().forget();
    kept_.set_varying(field(), time_s);
    dirichlet_.set_varying(field(), time_s);
    if (auto const point = space_.staging().take_not_finite()) {
      fault_.note(faulty_boundary(*problem_, subdomain(), *point).text, time_s);
    }
  }
  /// Enqueues setting the source at time `time_s` if it varies in time. A value that is not finite
  /// is reported by check_varying().
  void set_varying_source(double time_s) {
    if (!source_) return;
    source_->set_time(time_s);
    note_source(time_s);
  }
  /// Changes the step length: sets the operator and the source term per step. Enqueues. All ranks
  /// call it with the same arguments.
  void set_operator(Operator const& of, Scheme const& scheme, double time_s) {
    operator_.set(of);
    if (!source_) return;
    source_->set_scheme(scheme, time_s);
    note_source(time_s);
  }
  /// Checks the values that were set while time advanced. Collective.
  /// @throws Error  on every rank, if a boundary value or the source was not finite: names the
  ///                quantity, the point and the time
  void check_varying() { fault_.check(space_.ranks()); }
  /// Forgets such values, because all values of the field have been replaced.
  void forget_faults() { fault_.forget(); }

  /// Enqueues one pass of `plan.steps` steps of `update`, with the level's operator, at all free
  /// points. Adds the norms of the last step's changes to `change` if it is not null.
  template <class Update>
  void pass(Update const& update, SweepPlan const& plan, Change* change) {
    StencilRule<Update, Operator> const rule{update, operator_.get()};
    pair_.pass(rule, plan, source(), change);
  }

  /// Enqueues evaluating the residual of a heterogeneous problem in float64. Adds its norms, in
  /// units of body_units(), to `change`.
  void measure(Change* change) {
    space_.halo().forget();
    field().fill_halo();
    evaluate_conducted_residual<double>(
        *queue_, operator_.get(),
        ResidualPass<Real, Real>{std::as_const(field()).view(),
                                 source(),
                                 {},
                                 unknown_points(*problem_, subdomain()),
                                 1.0,
                                 change});
  }

  /// Enqueues `steps` steps with the grid resident on the chip.
  /// @pre  The grid satisfies resident_fits() and is not shared with another rank.
  template <class Update>
  void pass_resident(Update const& update, std::int64_t steps, MeasuredSteps const& measured) {
    if constexpr (Operator::dimension == 2 && !differs_between_points<Operator>) {
      StencilRule<Update, Operator> const rule{update, operator_.get()};
      advance_resident(*queue_, rule, resident_grid(), steps, measured);
    } else {
      throw Error("a resident grid must be 2D with the same stencil at every point");
    }
  }

 private:
  /// Notes a source value that was not finite in the last evaluation.
  void note_source(double time_s) {
    if (auto const point = space_.staging().take_not_finite()) {
      fault_.note(faulty_source(*problem_, subdomain(), *point, time_s).text, time_s);
    }
  }
  [[nodiscard]] FieldView<Real const> source() const {
    return source_ ? source_->view() : FieldView<Real const>{};
  }

  /// Describes the grid to the resident kernel. Only points off the Dirichlet faces change.
  ResidentGrid<Real> resident_grid() {
    LocalBox const points = subdomain().owned();
    return {field().view(), source(), points, intersection(pair_.free(), points),
            problem_->grid.periodic};
  }

  Problem const* problem_;  ///< the caller's
  Queue* queue_;            ///< the caller's
  FieldSpace<Real> space_;
  FieldPair<Real> pair_;  ///< the field before and after a pass
  LevelOperator<Operator> operator_;
  DirichletFaces<Real> dirichlet_;
  KeptPoints<Real> kept_;                      ///< fixed points inside
  std::optional<SourceField<Real>> source_{};  ///< only if there is a source or flux
  EvaluationFault fault_{};                    ///< the first value that was not finite
};

}  // namespace isotherm
