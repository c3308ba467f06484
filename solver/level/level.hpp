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
#include "solver/level/free_islands.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/level/kept_points.hpp"
#include "solver/level/level_operator.hpp"
#include "solver/level/source.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// Bytes that a Level takes at most, see Buffer::footprint.
template <class Real>
std::size_t level_footprint(Problem const& problem, Subdomain const& subdomain, Backend backend,
                            int depth, TransportKind transport) {
  std::size_t const fields = needs_source_field(problem) ? 3 : 2;
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, depth);
  return fields * Field<Real>::footprint(backend, subdomain.extent(), halo) +
         FieldSpace<Real>::footprint(backend, subdomain, depth, transport) +
         operator_footprint<Real>(problem, backend, subdomain.extent(), halo) +
         FreeIslands<Real>::footprint(problem, subdomain, backend) +
         initial_footprint(problem, backend);
}

/// A problem on one grid: an operator, the field that it is applied to, and what belongs to that
/// field: its source, its boundary values, its halo. Updates advance it. Stays where it is.
template <class Operator>
class Level {
 public:
  using Real = typename Operator::Real;

  /// A field that is zero but for its boundary values. All that is passed by reference outlives the
  /// level.
  /// @param depth  of the halo: the most steps a pass takes
  /// Collective. @throws ValueRefusal  on every rank, where a value is not finite
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

  /// Takes from the source what keeps a steady problem from having a solution, see FreeIslands.
  /// @param factor  of the scheme's residuals
  /// @returns  what it was, where it is more than rounding. Collective.
  [[nodiscard]] std::string make_compatible(double factor) {
    if (!source_ || !may_have_free_values(*problem_)) return {};
    FreeIslands<Real> islands(space_.ranks(), *problem_, subdomain(), *queue_);
    return islands.make_compatible(source_->view(), factor);
  }

  /// Sets the initial values. Collective. @throws ValueRefusal  as the constructor
  void set_initial() {
    space_.halo().forget();
    set_initial_values(*problem_, *queue_, field());
    field().check_evaluated(
        [&](Index3 p) { return faulty_initial_value(*problem_, subdomain(), p); });
    kept_.set(field(), 0.0);
  }

  [[nodiscard]] Subdomain const& subdomain() const { return space_.subdomain(); }
  [[nodiscard]] HaloFiller<Real> const& halo() const { return space_.halo(); }
  /// The field that holds the values.
  [[nodiscard]] DistributedField<Real>& field() { return pair_.front(); }
  [[nodiscard]] DistributedField<Real> const& field() const { return pair_.front(); }

  /// Makes the field constant but for its boundary values: a given value, so that a constant that
  /// is added to all given values is added to the field. Returns it. Collective.
  double set_constant() {
    double const level = kept_.given_level(space_.ranks(), *problem_, subdomain());
    add_constant(*queue_, field().view(), subdomain().owned(), level);
    set_boundary(0.0);
    return level;
  }
  /// Which points take part in what flows.
  [[nodiscard]] Links<Real> links() const {
    if constexpr (std::is_same_v<Operator, Conductances<Real, Operator::dimension>>) {
      return {operator_.get().x, operator_.get().y, operator_.get().z};
    } else {
      return {};
    }
  }

  /// The unknowns of the whole grid. Collective.
  [[nodiscard]] std::int64_t unknowns() const {
    return unknown_count(*problem_) - kept_.count_of_all(space_.ranks());
  }

  /// Enqueues setting the values of Dirichlet faces, and of points inside that keep theirs, as of
  /// time `time_s`.
  void set_boundary(double time_s) {
    space_.halo().forget();
    kept_.set(field(), time_s);
    dirichlet_.set(field(), time_s);
  }
  /// Enqueues setting those that depend on the time. Where some do, passes take one step.
  void set_varying_boundary(double time_s) {
    space_.halo().forget();
    kept_.set_varying(field(), time_s);
    dirichlet_.set_varying(field(), time_s);
    if (auto const point = space_.staging().take_not_finite()) {
      fault_.note(faulty_boundary(*problem_, subdomain(), *point).text, time_s);
    }
  }
  /// Enqueues setting the source as of time `time_s`, as far as it depends on it.
  void set_varying_source(double time_s) {
    if (!source_) return;
    source_->set_time(time_s);
    note_source(time_s);
  }
  /// Steps of another length are taken from now on: their operator, and what the source adds in
  /// each. Enqueues. All ranks call it alike.
  void set_operator(Operator const& of, Scheme const& scheme, double time_s) {
    operator_.set(of);
    if (!source_) return;
    source_->set_scheme(scheme, time_s);
    note_source(time_s);
  }
  /// Collective. @throws Error  on every rank, where one of the two has met a value that is not
  ///                            finite: names what it is of, the point and the time
  void check_varying() { fault_.check(space_.ranks()); }
  /// All values of the field have been replaced: what was wrong with them matters no more.
  void forget_faults() { fault_.forget(); }

  /// Enqueues one pass of `plan.steps` steps: `update` with the level's operator at all free
  /// points. Adds what the last step changes to `change`, if that is not null.
  template <class Update>
  void pass(Update const& update, SweepPlan const& plan, Change* change) {
    StencilRule<Update, Operator> const rule{update, operator_.get()};
    pair_.pass(rule, plan, source(), change);
  }

  /// Enqueues evaluating, in float64, what the field lacks of solving its equation, where
  /// conductances say what flows; adds its norms, in units of body_units(), to `change`.
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

  /// Enqueues `steps` steps in one go, on a grid that resident_fits() and no other rank has part
  /// of.
  template <class Update>
  void pass_resident(Update const& update, std::int64_t steps, MeasuredSteps const& measured) {
    if constexpr (Operator::dimension == 2 && !differs_between_points<Operator>) {
      StencilRule<Update, Operator> const rule{update, operator_.get()};
      advance_resident(*queue_, rule, resident_grid(), steps, measured);
    } else {
      throw Error("a resident grid has two dimensions, and the same weights everywhere");
    }
  }

 private:
  void note_source(double time_s) {
    if (auto const point = space_.staging().take_not_finite()) {
      fault_.note(faulty_source(*problem_, subdomain(), *point, time_s).text, time_s);
    }
  }
  [[nodiscard]] FieldView<Real const> source() const {
    return source_ ? source_->view() : FieldView<Real const>{};
  }

  ResidentGrid<Real> resident_grid() {
    LocalBox const points = subdomain().owned();
    return {field().view(), source(), points, intersection(pair_.free(), points),
            problem_->grid.periodic};
  }

  Problem const* problem_;
  Queue* queue_;
  FieldSpace<Real> space_;
  FieldPair<Real> pair_;
  LevelOperator<Operator> operator_;
  DirichletFaces<Real> dirichlet_;
  KeptPoints<Real> kept_;
  std::optional<SourceField<Real>> source_{};
  EvaluationFault fault_{};
};

}  // namespace isotherm
