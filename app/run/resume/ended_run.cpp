#include "app/run/resume/ended_run.hpp"

#include <nlohmann/json.hpp>

#include "case/basics/text/json_text.hpp"
#include "case/basics/text/text_file.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/snapshot.hpp"
#include "solver/methods.hpp"

// Resuming a finished run must not change its files. Whether it is finished is judged by the state
// in its last file, its summary, and its case.

namespace isotherm::app {

namespace {

/// Returns true if both cases have the same end: the same number of steps, or the same end time.
/// With an end time the iterations may differ, because a resumed run lays out its steps again.
bool same_length(MethodSettings const& a, MethodSettings const& b) {
  return a.end_time_s == b.end_time_s && a.times_s == b.times_s &&
         (a.end_time_s || a.iterations == b.iterations);
}

/// Returns true if both cases stop at the same tolerance, measured by the same residuals.
/// @param b  the settings before keep_decisions()
bool same_aim(MethodSettings const& a, MethodSettings b) {
  keep_decisions(b, SolverState{.hierarchy = a.multigrid.hierarchy});
  return a.tolerance == b.tolerance && a.absolute_tolerance == b.absolute_tolerance &&
         a.relative_to == b.relative_to && a.step_tolerance == b.step_tolerance &&
         a.adaptive == b.adaptive && a.direct_steps == b.direct_steps &&
         a.multigrid == b.multigrid && a.check_every == b.check_every;
}

/// Returns true if a run ended because its criterion was met, which is still that of the case.
bool met_criterion(Case const& chosen, nlohmann::json const& result) {
  if (!chosen.stop || !result.contains("stop") || !result.at("stop").is_object()) return false;
  return result.at("stop").value("criterion", "") == chosen.stop->text;
}

/// Returns true if both cases write the same files with the same contents.
bool same_results(Case const& a, Case const& b) {
  OutputSettings const& x = a.output;
  OutputSettings const& y = b.output;
  return a.title == b.title && same_length(a.method, b.method) && same_aim(a.method, b.method) &&
         fingerprint_differences(a.fingerprint, b.fingerprint).empty() &&
         x.snapshot_every == y.snapshot_every && x.snapshot_interval_s == y.snapshot_interval_s &&
         x.fields == y.fields && x.picture == y.picture && x.look == y.look && x.film == y.film &&
         x.compression == y.compression && x.as_float32 == y.as_float32 && x.cut == y.cut &&
         a.probes == b.probes && a.stop == b.stop;
}

/// Reads from summary.json how the run ended whose final field is `point.file`. Returns nothing if
/// the summary is of another field, of a run that was stopped or failed, or of one that a criterion
/// ended that the case no longer has.
std::optional<Outcome> outcome_in_summary(Case const& chosen, ResumePoint const& point) {
  std::filesystem::path const& directory = chosen.output.directory;
  auto const json = parse_json(read_text_file(directory / "summary.json", "a summary"));
  auto const& result = json.at("result");
  if (result.at("iterations") != point.state.iteration ||
      result.at("final_file") != point.file.filename().string()) {
    return std::nullopt;
  }
  if (!is_at_end(chosen.method, point.state) && !met_criterion(chosen, result)) return std::nullopt;
  for (Outcome const outcome : {Outcome::done, Outcome::not_converged}) {
    if (json.at("status") == name(outcome)) return outcome;
  }
  return std::nullopt;
}

/// The root's part of ended_run(). If a file cannot be read or parsed, the result is empty, and the
/// resumed run writes its results again.
std::optional<Outcome> find_outcome(Case const& chosen, ResumePoint const& point) {
  try {
    auto const outcome = outcome_in_summary(chosen, point);
    if (!outcome) return std::nullopt;
    SnapshotInfo const info = read_snapshot_info(point.file);
    // Data files of the earlier case may have moved since. Their values are those of the present
    // case, since otherwise the fingerprint would have refused to resume.
    Case before = parse_case_like(chosen, info.case_text, "case.toml");
    before.fingerprint = info.fingerprint;
    return same_results(chosen, before) ? outcome : std::nullopt;
  } catch (std::exception const&) {
    return std::nullopt;
  }
}

}  // namespace

bool is_at_end(MethodSettings const& method, SolverState const& state) {
  if (state.iteration >= method.iterations) return true;
  // The tolerance is judged only at iterations at which residuals are measured.
  bool const at_check = method.check_every > 0 && state.iteration % method.check_every == 0;
  SolverState known = state;
  // A resumed run knows its first residual from the file.
  if (method.relative_to == RelativeTo::first) known.reference = state.first_residual;
  if (!at_check || !claims_convergence(method, known)) return false;
  // A sweep's change is the residual of the field before it. So its run ends one check later than
  // the residual that met the tolerance.
  bool const of_this_field = method_named(method.name).evaluates_residuals;
  bool const decides = of_this_field || state.last_residual->iteration < state.iteration;
  return decides;
}

std::optional<Outcome> ended_run(mpi::Communicator const& ranks, Case const& chosen,
                                 ResumePoint const& point) {
  if (!is_at_end(chosen.method, point.state) && !chosen.stop) return std::nullopt;
  std::optional<Outcome> outcome;
  on_root(ranks, [&] { outcome = find_outcome(chosen, point); });
  constexpr std::uint64_t none = 0;
  // Outcomes travel as numbers: 0 for none, else the enumerator plus 1.
  std::uint64_t const number =
      ranks.broadcast(outcome ? static_cast<std::uint64_t>(*outcome) + 1 : none);
  return number == none ? std::nullopt : std::optional(static_cast<Outcome>(number - 1));
}

}  // namespace isotherm::app
