#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"
#include "jobs/run/field_statistics.hpp"
#include "jobs/run/heat_balance.hpp"
#include "jobs/run/measurement.hpp"
#include "jobs/run/output_counts.hpp"
#include "jobs/run/resume.hpp"
#include "jobs/run/run_plan.hpp"

namespace isotherm {

/// What summary.json says of itself.
inline constexpr char const* summary_format = "isotherm summary 1";

/// How a run ended.
enum class Outcome {
  done,           ///< all iterations done, or the tolerance reached
  not_converged,  ///< the iteration limit came before the tolerance
  stopped,        ///< on request, with a checkpoint
  failed,
};

/// "done", "not-converged", "stopped", "failed": as in summary.json.
char const* name(Outcome outcome);
int exit_code_of(Outcome outcome);

/// What summary.json says beside the case and the plan; its schema is in docs/formats.md.
struct Summary {
  Outcome outcome = Outcome::failed;
  std::string message{};  ///< what failed, or the signal that stopped the run
  bool converged = false;
  bool stalled = false;                      ///< the residual no longer falls
  std::optional<double> checked_residual{};  ///< in float64, of the final field, where evaluated
  SolverState state{};
  double time_s = 0.0;  ///< the field's time
  int ranks = 1;
  bool shared_devices = false;
  std::string transport{};
  SweepPlan sweep{};
  std::optional<Performance> performance{};
  OutputCounts output{};
  std::optional<ResumePoint> resumed_from{};
  std::optional<FieldStatistics> field{};     ///< of the final field
  std::optional<Inflows> inflows{};           ///< of that, where the case asks for them
  std::optional<HeatBalance> heat_balance{};  ///< of that, where the tolerance is claimed
  std::string final_file{};  ///< name in the output directory, empty where none was written
  std::optional<std::uint64_t> checksum{};  ///< of the final field
  std::vector<std::string> files{};         ///< names in the output directory
};

std::string to_json(Case const& chosen, RunPlan const& plan, Summary const& summary);

}  // namespace isotherm
