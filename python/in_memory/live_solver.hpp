#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/prepare/prepared_run.hpp"
#include "app/run/probes/probe_meter.hpp"
#include "app/run/probes/stop_event.hpp"
#include "app/run/report/flows/mean_flux.hpp"
#include "app/run/schedule/chunking.hpp"
#include "case/case.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "python/in_memory/grid_function.hpp"
#include "solver/solver.hpp"

namespace isotherm {
using namespace app;

/// Functions that replace parts of a case, by the keys of these parts: "equation.source",
/// "initial.value", "boundary.x_lower" and the other faces.
using GivenFunctions = std::map<std::string, GivenFunction>;

/// What one of the case's probes measures in the field.
struct Measurement {
  std::string table;                      ///< "quantities.csv" or "probe_NAME.csv"
  std::string heading;                    ///< "iteration,", then the names of the columns
  std::vector<std::vector<double>> rows;  ///< one, or those of a line's points
};

/// A solver that another program controls step by step, in memory. The Python package is built on
/// it. Collective: all ranks call the same members in the same order.
///
///   LiveSolver live(ranks, chosen, {});
///   live.advance_to(500, [] { return false; });
///   live.read(values);           // this rank's part of the field
///   live.write("result.vtkhdf");  // the whole field
class LiveSolver {
 public:
  /// Prepares the case, allocates the solver and sets the initial values.
  /// @throws InputError  on every rank, if the case or the functions are invalid, or differ between
  ///                     ranks
  LiveSolver(mpi::Communicator ranks, Case chosen, GivenFunctions const& given);

  /// Advances to an iteration, which must be the same on all ranks, or until has_stopped().
  /// Approximately twice a second it calls `interrupted`. If that returns true on any rank, all
  /// ranks return.
  /// @return  false if the call was interrupted
  /// @throws InputError  on every rank, if the ranks request different iterations
  bool advance_to(std::int64_t iteration, std::function<bool()> const& interrupted);
  /// Returns true if the solver has converged or stagnates, or if its stopping criterion is
  /// satisfied. Then advance_to() changes nothing.
  [[nodiscard]] bool has_stopped() const {
    return stop_event_.met() || solver_->converged() || solver_->stalled();
  }
  /// Returns where the criterion [method] stop was met; none if it was not.
  [[nodiscard]] std::optional<StopPoint> const& stop_point() const { return stop_event_.met(); }
  /// Returns true if the current field meets the case's tolerance. As at the end of a run, the
  /// solver's result is confirmed by the heat balance. If rounding leaves doubts, the residual in
  /// float64 confirms it, too. Collective.
  [[nodiscard]] bool has_converged();

  /// Measures the case's [output] quantities, or else its [[probe]]s, in the current field.
  /// Collective.
  std::vector<Measurement> measure(bool quantities);
  /// Measures the mean flux of the current field; none if u has no mean gradient. Collective.
  std::optional<app::MeanFlux> mean_flux();

  /// Reads this rank's owned values, dense, x fastest.
  /// @param values  the memory to fill, of the case's precision
  void read(Values values) { solver_->read_field(values); }
  /// Replaces this rank's owned values; the iteration becomes 0.
  void set(ConstValues values);
  /// Writes the whole field to a snapshot file.
  /// @throws InputError  if the name does not end in .vtkhdf. @throws Error
  void write(std::filesystem::path const& file);
  /// Draws the field in the format that the file name extension indicates.
  /// @throws InputError  if that is not .png, .svg or .pdf. @throws Error
  void draw(std::filesystem::path const& file);

  /// Returns the ranks that share the field.
  [[nodiscard]] mpi::Communicator const& ranks() const { return ranks_; }
  /// Returns the case that is solved.
  [[nodiscard]] Case const& chosen() const { return run_.chosen; }
  /// Returns the plan of the run.
  [[nodiscard]] PreparedRun const& run() const { return run_; }
  /// Returns the solver. Advance it by advance_to() only, which also collects residuals.
  [[nodiscard]] Solver& solver() { return *solver_; }
  [[nodiscard]] Solver const& solver() const { return *solver_; }
  /// Returns all residuals that were measured, oldest first.
  [[nodiscard]] std::vector<Residual> const& residuals() const { return residuals_; }
  /// Returns the newest residual, if there is one.
  [[nodiscard]] std::optional<Residual> last_residual() const {
    return residuals_.empty() ? std::nullopt : std::optional(residuals_.back());
  }
  /// Returns the value to which the tolerance is relative, once it is known.
  [[nodiscard]] std::optional<double> reference() const { return reference_; }
  /// Returns the seconds that the field was advanced, on the slowest rank.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  /// Advances by one chunk of approximately half a second, and collects its residuals.
  /// @param is_event  judges the criterion [method] stop at the end
  void advance_chunk(std::int64_t end, bool is_event);
  /// Returns a copy of this rank's owned values.
  HostValues owned_values();

  mpi::Communicator ranks_;
  PreparedRun run_;
  std::unique_ptr<Solver> solver_;
  app::StopEvent stop_event_;
  Chunking chunking_;  ///< the iterations of a chunk, adapted to the slowest rank
  std::vector<std::unique_ptr<ProbeMeter>> meters_{};  ///< of the case's probes; made when needed
  std::vector<Residual> residuals_{};
  std::optional<double> reference_{};
  double seconds_ = 0.0;
};

}  // namespace isotherm
