#pragma once

#include <array>
#include <optional>
#include <span>

#include "decomposition/field/distributed_field.hpp"
#include "kernels/core/error.hpp"
#include "kernels/sweep/resident.hpp"
#include "kernels/sweep/sweep.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/level/evaluation_fault.hpp"
#include "solver/level/source.hpp"

namespace isotherm {

/// The shape of the halo that a problem's fields need.
HaloShape halo_shape(Problem const& problem, int depth);

/// Bytes that a Level takes at most, see Buffer::footprint.
template <class Real>
std::size_t level_footprint(Problem const& problem, Subdomain const& subdomain, Backend backend,
                            int depth, TransportKind transport) {
  std::size_t const fields = needs_source_field(problem) ? 3 : 2;
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, depth);
  return fields * Field<Real>::footprint(backend, subdomain.extent(), halo) +
         FieldSpace<Real>::footprint(backend, subdomain, depth, transport) +
         initial_footprint(problem, backend);
}

/// A problem on one grid: an operator, the field that it is applied to, and what belongs to that
/// field: its source, its boundary values, its halo. Updates advance it. Stays where it is.
///
/// There are two fields, which take turns: a pass reads one and writes the other.
template <class Operator>
class Level {
 public:
  using Real = typename Operator::Real;

  /// Sets the initial and the boundary values. All that is passed by reference outlives the level.
  /// @param depth  of the halo: the most steps a pass takes
  /// Collective. @throws ValueRefusal  on every rank, where a value is not finite
  Level(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& subdomain,
        Queue& queue, Operator const& of, Scheme const& scheme, int depth, TransportKind transport)
      : problem_(&problem),
        queue_(&queue),
        operator_(of),
        space_(ranks, subdomain, queue, halo_shape(problem, depth), transport),
        fields_{DistributedField<Real>(space_), DistributedField<Real>(space_)},
        free_(free_box(problem, subdomain, depth)),
        dirichlet_(problem, subdomain) {
    space_.halo().forward_between({&fields_[0].local(), &fields_[1].local()});
    if (needs_source_field(problem)) source_.emplace(problem, scheme, space_);
    set_initial_values(problem, queue, field());
    field().check_evaluated([&](Index3 p) { return faulty_initial_value(problem, subdomain, p); });
    set_boundary(0.0);
    field().check_evaluated([&](Index3 p) { return faulty_boundary(problem, subdomain, p); });
  }

  [[nodiscard]] Subdomain const& subdomain() const { return space_.subdomain(); }
  [[nodiscard]] HaloFiller<Real> const& halo() const { return space_.halo(); }
  /// The field that holds the values.
  [[nodiscard]] DistributedField<Real>& field() { return fields_[front_]; }

  /// Enqueues setting the values of Dirichlet faces as of time `time_s`.
  void set_boundary(double time_s) {
    space_.halo().forget();
    dirichlet_.set(field(), time_s);
  }
  /// Enqueues setting those that depend on the time. Where some do, passes take one step.
  void set_varying_boundary(double time_s) {
    space_.halo().forget();
    dirichlet_.set_varying(field(), time_s);
    if (auto const point = space_.staging().take_not_finite()) {
      fault_.note(faulty_boundary(*problem_, subdomain(), *point).text, time_s);
    }
  }
  /// Enqueues setting the source as of time `time_s`, as far as it depends on it.
  void set_varying_source(double time_s) {
    if (!source_) return;
    source_->set_time(time_s);
    if (auto const point = space_.staging().take_not_finite()) {
      fault_.note(faulty_source(*problem_, subdomain(), *point, time_s).text, time_s);
    }
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
    StencilRule<Update, Operator> const rule{update, operator_};
    HaloFiller<Real>& halo = space_.halo();
    halo.begin(before());
    if (halo.overlaps()) {
      LocalBox const interior = halo.interior(plan.steps);
      sweep_box(rule, plan, interior, change);
      halo.finish(before());
      for (LocalBox const rim : difference(subdomain().owned(), interior)) {
        sweep_box(rule, plan, rim, change);
      }
    } else {
      halo.finish(before());
      sweep_box(rule, plan, subdomain().owned(), change, halo.forwards(after()));
      halo.swept(after());
    }
    front_ = 1 - front_;
  }

  /// Enqueues `steps` steps in one go, on a grid that resident_fits() and no other rank has part
  /// of.
  template <class Update>
  void pass_resident(Update const& update, std::int64_t steps, MeasuredSteps const& measured) {
    if constexpr (Operator::dimension == 2) {
      StencilRule<Update, Operator> const rule{update, operator_};
      advance_resident(*queue_, rule, resident_grid(), steps, measured);
    } else {
      throw Error("a resident grid has two dimensions");
    }
  }

 private:
  FieldView<Real> before() { return fields_[front_].view(); }
  FieldView<Real> after() { return fields_[1 - front_].view(); }
  [[nodiscard]] FieldView<Real const> source() const {
    return source_ ? source_->view() : FieldView<Real const>{};
  }

  template <class Rule>
  void sweep_box(Rule const& rule, SweepPlan const& plan, LocalBox region, Change* change,
                 std::array<Forward<Real>, 2> const& forwards = {}) {
    if (region.empty()) return;
    sweep(*queue_, rule, Pass<Real>{before(), after(), source(), region, free_, change, forwards},
          plan);
  }

  ResidentGrid<Real> resident_grid() {
    LocalBox const points = subdomain().owned();
    return {before(), source(), points, intersection(free_, points), problem_->grid.periodic};
  }

  Problem const* problem_;
  Queue* queue_;
  Operator operator_;
  FieldSpace<Real> space_;
  std::array<DistributedField<Real>, 2> fields_;
  LocalBox free_;
  DirichletFaces<Real> dirichlet_;
  std::optional<SourceField<Real>> source_{};
  EvaluationFault fault_{};
  std::size_t front_ = 0;  ///< which of the fields holds the values
};

}  // namespace isotherm
