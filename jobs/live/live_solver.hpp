#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/case/case.hpp"
#include "jobs/live/grid_function.hpp"
#include "jobs/run/chunking.hpp"
#include "jobs/run/prepared_run.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// By the key of the case that each takes the place of: "equation.source", "initial.value",
/// "boundary.x_lower" …
using GivenFunctions = std::map<std::string, GivenFunction>;

/// A case that is solved step by step by another program, in memory. Collective: all ranks call the
/// same members in the same order.
class LiveSolver {
 public:
  /// @throws InputError  on every rank, if the case or the functions are invalid, or differ between
  ///                     ranks
  LiveSolver(mpi::Communicator ranks, Case chosen, GivenFunctions const& given);

  /// Goes on to this iteration, the same on all ranks, or until the solver stops by itself. Looks
  /// about twice a second whether it shall stop: `interrupted`, on any rank.
  /// @return  false where it was interrupted
  /// @throws InputError  on every rank, where they ask for different iterations
  bool advance_to(std::int64_t iteration, std::function<bool()> const& interrupted);
  /// The solver has stopped by itself: it has converged or will not.
  [[nodiscard]] bool has_stopped() const { return solver_->converged() || solver_->stalled(); }
  /// Whether the field as it is now meets the case's tolerance: as a run's end, the solver's word
  /// is checked in float64 where rounding leaves doubts, and by the heat balance.
  [[nodiscard]] bool has_converged();

  /// This rank's owned values, dense, x fastest. @param values  their memory
  void read(Values values) { solver_->read_field(values); }
  /// Replaces this rank's owned values, at iteration 0.
  void set(ConstValues values);
  /// Writes the whole field to a file like those of a run.
  /// @throws InputError  if the name does not end in .vtkhdf. @throws Error
  void write(std::filesystem::path const& file);
  /// Draws the field, in the format that the ending names.
  /// @throws InputError  if that is not .png, .svg or .pdf. @throws Error
  void draw(std::filesystem::path const& file);

  [[nodiscard]] mpi::Communicator const& ranks() const { return ranks_; }
  [[nodiscard]] Case const& chosen() const { return run_.chosen; }
  [[nodiscard]] PreparedRun const& run() const { return run_; }
  [[nodiscard]] Solver& solver() { return *solver_; }
  [[nodiscard]] Solver const& solver() const { return *solver_; }
  /// All that were measured, oldest first.
  [[nodiscard]] std::vector<Residual> const& residuals() const { return residuals_; }
  [[nodiscard]] std::optional<Residual> last_residual() const {
    return residuals_.empty() ? std::nullopt : std::optional(residuals_.back());
  }
  /// What the tolerance is relative to, as far as it is known.
  [[nodiscard]] std::optional<double> reference() const { return reference_; }
  /// Seconds in which the field was advanced.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  void advance_chunk(std::int64_t end);
  HostValues owned_values();

  mpi::Communicator ranks_;
  PreparedRun run_;
  std::unique_ptr<Solver> solver_;
  Chunking chunking_;
  std::vector<Residual> residuals_{};
  std::optional<double> reference_{};
  double seconds_ = 0.0;
};

}  // namespace isotherm
