#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/run/probes/probe_meter.hpp"
#include "case/case.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// Finds the time step in which a run meets the criterion [method] stop.
///
/// The stopping criterion is checked every `check_every` steps, and when output is due. If it is
/// satisfied, the solver goes back to the field of the last check, and takes the steps from there
/// one by one. So check_every does not change the step at which the run ends, unless the criterion
/// is satisfied between two checks only. An interrupted run ends with the field of its last check,
/// so the resumed run checks the same fields as an uninterrupted one. Members are collective.
///
///   StopEvent event(ranks, chosen, solver);
///   while (!event.met() && …) {
///     solver.advance_to(event.next(solver.iteration(), limit));
///     auto const residuals = event.judge();
///   }
class StopEvent {
 public:
  /// Judges the field that the solver has. Without a criterion this does nothing.
  /// @param ranks, chosen, solver  must outlive this object
  StopEvent(mpi::Communicator const& ranks, Case const& chosen, Solver& solver);
  StopEvent(StopEvent const&) = delete;
  StopEvent& operator=(StopEvent const&) = delete;
  ~StopEvent();

  /// Returns the first iteration after `iteration` at which the criterion is judged, or `limit` if
  /// that is smaller or there is no criterion.
  [[nodiscard]] std::int64_t next(std::int64_t iteration, std::int64_t limit) const;
  /// Judges the solver's field. If it meets the criterion, the solver has the field after the first
  /// step that does.
  /// @returns  Solver::take_residuals(), without those of steps that were undone
  std::vector<Residual> judge();
  /// Sets the solver back to the field that was judged last, before an interrupted run writes its
  /// last checkpoint. A run without a check since its start keeps a field that does not meet the
  /// criterion: otherwise a chain of short jobs would never advance.
  void return_to_check();
  /// Judges the solver's field as that of a run that starts, and forgets the fields before it.
  void restart();
  /// Returns where the criterion was met; none if it was not.
  [[nodiscard]] std::optional<StopPoint> const& met() const { return met_; }

  /// Returns the bytes of host memory that this rank needs for the field to go back to.
  static std::size_t footprint(Case const& chosen, Subdomain const& subdomain);

 private:
  /// A quantity and its time.
  struct Instant {
    double time_s = 0.0;
    double value = 0.0;
  };
  /// A field that did not meet the criterion.
  struct Judged {
    SolverState state;
    double time_s = 0.0;
    double value = 0.0;
  };

  /// Returns the quantity of the solver's field, whose time this is.
  double measure(double time_s);
  double measure() { return measure(solver_.time_s()); }
  /// Judges the field between two parts of a divided step.
  void observe(double time_s);
  /// Stores the solver's field, whose quantity is `value`.
  void remember(double value);
  /// Sets met_ if `value` meets the criterion, else remembers the field.
  void take(double value);
  /// Sets the solver to the field that was judged last. @pre  values_ holds it
  void go_back();
  /// Takes the steps from the field that was judged before, until one meets the criterion.
  void repeat_steps();

  mpi::Communicator const& ranks_;
  Case const& case_;
  Solver& solver_;
  std::optional<Probe> probe_{};         ///< measures the quantity; none without a criterion
  std::unique_ptr<ProbeMeter> meter_{};  ///< of probe_
  std::optional<HostValues> values_{};   ///< the field of before_, if checks lie some steps apart
  std::int64_t start_ = 0;               ///< iteration of the first field
  std::optional<Judged> before_{};
  /// The last field that did not meet the criterion, and the first one that does, of the parts of
  /// divided steps since before_.
  std::optional<Instant> below_{};
  std::optional<Instant> above_{};
  std::optional<StopPoint> met_{};
};

}  // namespace isotherm::app
