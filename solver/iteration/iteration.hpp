#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "kernels/core/stopwatch.hpp"
#include "kernels/sweep/resident.hpp"
#include "kernels/sweep/sweep.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/iteration/residual_monitor.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/level/halo.hpp"
#include "solver/level/pass_plans.hpp"
#include "solver/level/random_delays.hpp"
#include "solver/level/source.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Throws InputError on every rank if `mine` is set on any: naming `what`, and the point where it
/// is not finite. Collective.
void check_finite(mpi::Communicator const& ranks, Subdomain const& subdomain,
                  std::optional<Index3> mine, std::string const& what);

/// The engine that all stencil methods share: two fields that take turns, passes over them, and in
/// between the halo, the boundary values, the residual.
template <class Rule>
class Iteration final : public Solver {
 public:
  using Real = typename Rule::Real;

  Iteration(mpi::Communicator const& ranks, Problem const& problem, MethodSettings const& method,
            Execution const& execution, Rule const& rule, Scheme const& scheme)
      : ranks_(ranks.get()),
        problem_(problem),
        end_(method.iterations),
        check_every_(method.check_every),
        rule_(rule),
        scheme_(scheme),
        subdomain_(problem.grid, execution.parts, ranks.rank()),
        queue_(execution.backend, execution.device),
        plans_(ranks_, problem, subdomain_, execution),
        free_(free_box(problem, subdomain_, depth())),
        staging_(queue_, subdomain_.extent()),
        fields_{Field<Real>(queue_, subdomain_.extent(), halo_points()),
                Field<Real>(queue_, subdomain_.extent(), halo_points())},
        halo_(ranks_, problem, subdomain_, queue_, depth(), execution.transport),
        dirichlet_(problem, subdomain_),
        monitor_(ranks_, queue_, with_time_step(method, scheme), scheme.residual_factor,
                 unknown_count(problem)) {
    halo_.forward_between(fields_);
    if (needs_source_field(problem_)) {
      source_.emplace(problem_, scheme_, subdomain_, queue_, staging_, halo_, halo_points());
      check_finite(ranks_, subdomain_, staging_.take_not_finite(), "the source or a Neumann value");
    }
    set_initial_values(problem_, subdomain_, queue_, staging_, before());
    check_finite(ranks_, subdomain_, staging_.take_not_finite(), "the initial value");
    set_dirichlet_values();
    check_finite(ranks_, subdomain_, staging_.take_not_finite(), "a Dirichlet value");
  }

  void advance_to(std::int64_t target) override {
    Stopwatch const watch(advancing_s_);
    while (!stopped_ && iteration_ < target) {
      plans_.resident() && monitor_.only_records() ? advance_past_checks(target)
                                                   : advance_once(target);
    }
    if (iteration_ >= end_) monitor_.learn();
  }

  [[nodiscard]] bool converged() const override {
    return stopped_ || (iteration_ >= end_ && monitor_.within_tolerance());
  }
  [[nodiscard]] std::int64_t iteration() const override { return iteration_; }
  [[nodiscard]] SolverState state() override {
    learn();
    return {iteration_, monitor_.first(), monitor_.last()};
  }
  [[nodiscard]] double time_s() const override { return time_of(iteration_); }
  std::vector<Residual> take_residuals() override {
    learn();
    return monitor_.take();
  }

  void read_field(void* values) override {
    staging_.read(queue_, std::as_const(fields_[front_]).view(), subdomain_.owned(),
                  static_cast<Real*>(values));
  }
  void restore(void const* values, SolverState const& state) override {
    write_field(values);
    go_on_from(state);
  }
  void set_initial(void const* values) override {
    write_field(values);
    go_on_from({});
    set_dirichlet_values();
  }
  void read_source(void* values) override {
    Queue host(Backend::cpu);
    Field<Real> field(host, subdomain_.extent(), {0, 0, 0});
    Staging<Real> staging(host, subdomain_.extent());
    staging.evaluate(host, field.view(), subdomain_.owned(),
                     at_points(subdomain_, problem_.source, time_s()));
    staging.read(host, std::as_const(field).view(), subdomain_.owned(), static_cast<Real*>(values));
  }

  void wait() override {
    Stopwatch const watch(advancing_s_);
    queue_.wait();
  }

  [[nodiscard]] Subdomain const& subdomain() const override { return subdomain_; }
  [[nodiscard]] SweepPlan const& plan() const override { return plans_.full(); }
  [[nodiscard]] std::string transport_name() const override { return halo_.transport_name(); }
  [[nodiscard]] SolverTimes times() const override {
    double const halo_s = halo_.seconds();
    double const reduction_s = monitor_.seconds();
    return {std::max(0.0, advancing_s_ - halo_s - reduction_s), halo_s, reduction_s};
  }
  [[nodiscard]] Queue& queue() override { return queue_; }

 private:
  static MethodSettings with_time_step(MethodSettings method, Scheme const& scheme) {
    method.time_step_s = scheme.time_step_s;
    return method;
  }
  [[nodiscard]] int depth() const { return plans_.full().steps; }
  [[nodiscard]] Index3 halo_points() const {
    return {depth(), depth(), Rule::dimension == 3 ? depth() : 0};
  }
  [[nodiscard]] double time_of(std::int64_t iteration) const {
    return static_cast<double>(iteration) * scheme_.time_step_s;
  }
  FieldView<Real> before() { return fields_[front_].view(); }
  FieldView<Real> after() { return fields_[1 - front_].view(); }

  void learn() {
    Stopwatch const watch(advancing_s_);
    monitor_.learn();
  }
  void write_field(void const* values) {
    halo_.forget();
    staging_.write(queue_, before(), subdomain_.owned(), static_cast<Real const*>(values));
  }
  void go_on_from(SolverState const& state) {
    iteration_ = state.iteration;
    stopped_ = false;
    monitor_.restore(state);
  }
  void set_dirichlet_values() {
    halo_.forget();
    dirichlet_.set(queue_, staging_, before(), time_s());
  }

  /// One pass, or, where the tolerance has been reached, all passes to the check that says so.
  void advance_once(std::int64_t target) {
    std::int64_t const check = monitor_.next_check(iteration_);
    bool const past_check = check < target && check < iteration_ + longest_pass();
    if (past_check) monitor_.learn();
    if (past_check && monitor_.within_tolerance()) {
      while (iteration_ < check) pass(steps_towards(check), nullptr);
      stopped_ = true;
      return;
    }
    // The sweep that follows a check is measured, so it has to be the last of its pass.
    std::int64_t const end = past_check ? check + 1 : std::min(target, check);
    std::int64_t const steps = steps_towards(end);
    if (past_check && iteration_ + steps == end) {
      pass(steps, monitor_.measure(queue_, check));
      monitor_.measured(queue_);
    } else {
      pass(steps, nullptr);
    }
  }

  /// One pass of a resident grid with many checks in it, of which none can end the run.
  void advance_past_checks(std::int64_t target) {
    monitor_.learn();
    int const checks = monitor_.checks_between(iteration_, target);
    if (checks == 0) return advance_resident_to(target, {});
    std::int64_t const first = monitor_.next_check(iteration_);
    std::int64_t const end = std::min(target, first + checks * check_every_);
    advance_resident_to(end, {monitor_.measure(queue_, first, checks), first + 1 - iteration_,
                              check_every_, checks});
    monitor_.measured(queue_);
  }

  /// Steps that a pass takes where enough are left. A resident grid takes any number; with two
  /// passes from check to check the one is under way while the host learns the last residual.
  [[nodiscard]] std::int64_t longest_pass() const {
    if (!plans_.resident()) return plans_.full().steps;
    return check_every_ > 0 ? (check_every_ + 1) / 2 : end_;
  }
  /// Steps of the next pass on the way to iteration `end`.
  [[nodiscard]] std::int64_t steps_towards(std::int64_t end) const {
    std::int64_t const left = end - iteration_;
    return plans_.resident() ? std::min(left, longest_pass()) : plans_.at_most(left).steps;
  }

  /// Enqueues `steps` steps, as many as steps_towards() said.
  void pass(std::int64_t steps, Change* change) {
    delays_.sleep();
    if (source_) source_->set_time(queue_, staging_, time_s());
    if (plans_.resident()) {
      advance_resident_to(iteration_ + steps,
                          change != nullptr ? MeasuredSteps{change, steps, 1, 1} : MeasuredSteps{});
      return;
    }
    sweep_and_exchange(plans_.at_most(steps), change);
    iteration_ += steps;
    dirichlet_.set_varying(queue_, staging_, before(), time_s());
  }

  /// Nothing that a resident grid is swept with depends on the time.
  void advance_resident_to(std::int64_t target, MeasuredSteps const& measured) {
    if constexpr (Rule::dimension == 2) {
      advance_resident(queue_, rule_, resident_grid(), target - iteration_, measured);
    }
    iteration_ = target;
  }

  ResidentGrid<Real> resident_grid() {
    ResidentGrid<Real> grid;
    grid.field = before();
    if (source_) grid.source = source_->view();
    grid.points = subdomain_.owned();
    grid.free = intersection(free_, grid.points);
    for (int axis = 0; axis < 2; ++axis) {
      grid.periodic[static_cast<std::size_t>(axis)] = problem_.grid.periodic[axis];
    }
    return grid;
  }

  /// One pass from the field before to the field after, which then take turns.
  void sweep_and_exchange(SweepPlan const& plan, Change* change) {
    halo_.begin(before());
    if (halo_.goes_on_beside()) {
      LocalBox const interior = halo_.interior(plan.steps);
      sweep_box(plan, interior, change);
      halo_.finish(before());
      for (LocalBox const rim : difference(subdomain_.owned(), interior)) {
        sweep_box(plan, rim, change);
      }
    } else {
      halo_.finish(before());
      sweep_box(plan, subdomain_.owned(), change, halo_.forwards(after()));
      halo_.swept(after());
    }
    front_ = 1 - front_;
  }

  void sweep_box(SweepPlan const& plan, LocalBox region, Change* change,
                 std::array<Forward<Real>, 2> const& forwards = {}) {
    if (region.empty()) return;
    Pass<Real> one;
    one.in = before();
    one.out = after();
    if (source_) one.source = source_->view();
    one.region = region;
    one.free = free_;
    one.change = change;
    one.forwards = forwards;
    sweep(queue_, rule_, one, plan);
  }

  mpi::Communicator ranks_;
  Problem problem_;
  std::int64_t end_;
  std::int64_t check_every_;
  Rule rule_;
  Scheme scheme_;
  Subdomain subdomain_;
  Queue queue_;
  PassPlans plans_;
  LocalBox free_;
  Staging<Real> staging_;
  std::array<Field<Real>, 2> fields_;
  Halo<Real> halo_;
  DirichletFaces<Real> dirichlet_;
  std::optional<SourceField<Real>> source_{};
  ResidualMonitor monitor_;
  std::size_t front_ = 0;  ///< which of the fields holds the values
  std::int64_t iteration_ = 0;
  bool stopped_ = false;  ///< a check found the tolerance reached
  double advancing_s_ = 0.0;
  RandomDelays delays_{ranks_.rank()};
};

}  // namespace isotherm
