#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/output/field_statistics.hpp"
#include "app/run/output/output_counts.hpp"
#include "app/run/prepare/run_plan.hpp"
#include "app/run/report/flows/heat_balance.hpp"
#include "app/run/report/flows/mean_flux.hpp"
#include "app/run/report/measurement.hpp"
#include "app/run/report/region_report.hpp"
#include "app/run/resume/resume.hpp"
#include "case/case.hpp"

namespace isotherm::app {

/// The format of summary.json, which the file names under the key "format".
inline constexpr char const* summary_format = "isotherm summary 1";

/// The outcome of a run, which determines its exit code.
enum class Outcome {
  done,           ///< all iterations done, or the tolerance reached
  not_converged,  ///< the tolerance was not reached, or a time step not solved
  stopped,        ///< on request or by its time limit, with a checkpoint
  failed,         ///< ended by an error
};

/// Returns "done", "not-converged", "stopped" or "failed", as in summary.json.
char const* name(Outcome outcome);
/// Returns the exit code of the program for an outcome.
int exit_code_of(Outcome outcome);

/// The contents of summary.json in addition to case and plan. Its schema is in
/// docs/reference/formats.md.
struct Summary {
  Outcome outcome = Outcome::failed;
  std::string message{};                      ///< the error, or the signal that stopped the run
  bool converged = false;                     ///< the stored field confirms the tolerance
  bool stalled = false;                       ///< the residual stagnates
  std::optional<StopPoint> stop{};            ///< where the criterion of the case was met
  std::optional<double> checked_residual{};   ///< of the final field in float64, if evaluated
  std::optional<double> checked_error{};      ///< estimated with that residual
  SolverState state{};                        ///< at the end: iteration, residuals, error estimate
  double time_s = 0.0;                        ///< time of the field
  std::int64_t linear_iterations = 0;         ///< within the iterations of a nonlinear problem
  int ranks = 1;                              ///< MPI ranks of the run
  bool shared_devices = false;                ///< ranks share a GPU
  std::string transport{};                    ///< how ghost layers are exchanged
  SweepPlan sweep{};                          ///< kernel variant of the sweeps
  std::optional<Performance> performance{};   ///< measured at the end of a run
  OutputCounts output{};                      ///< fields written, failed and skipped
  std::optional<ResumePoint> resumed_from{};  ///< file and iteration, if the run was resumed
  std::optional<FieldStatistics> field{};     ///< of the final field
  std::optional<double> largest_drawn{};      ///< the maximum on the planes of a picture
  std::optional<Inflows> inflows{};           ///< of the final field, if the case asks for them
  std::vector<FloatingConductor> floating{};  ///< of the final field
  std::optional<MeanFlux> mean_flux{};        ///< of the final field, if u has a mean gradient
  std::optional<HeatBalance> heat_balance{};  ///< of the final field, if it claims convergence
  std::vector<std::string> overrides{};       ///< texts of --set, in their order
  std::vector<MeasuredRegion> regions{};      ///< requested and discrete measures
  std::string final_file{};  ///< name in the output directory; empty if none was written
  std::optional<std::uint64_t> checksum{};  ///< of the final field
  std::vector<std::string> files{};         ///< names in the output directory
  std::vector<std::string> warnings{};      ///< of the log
};

/// False if the final field has a value that is not finite, or no value outside of insulated
/// regions.
bool has_values(Summary const& summary);

/// Returns the error of the final field relative to the range of values. In order of preference it
/// is the error that multigrid has found, the estimate by the residual in float64, or the solver's
/// estimate. None if none of them is known.
std::optional<double> estimated_error(Summary const& summary);

/// Returns the text of summary.json.
std::string to_json(Case const& chosen, RunPlan const& plan, Summary const& summary);

}  // namespace isotherm::app
