#include "app/run/prepare/prepared_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/resource.h>
#include <system_error>
#include <utility>

#include "app/run/probes/probes.hpp"
#include "app/run/resume/resumed_method.hpp"
#include "app/run/resume/resumed_time_step.hpp"
#include "app/run/schedule/snapshot_schedule.hpp"
#include "case/basics/text/text.hpp"
#include "case/data/data_field.hpp"
#include "case/key_at_fault.hpp"
#include "case/read_case.hpp"
#include "case/sections/parts.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/snapshot.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/text.hpp"
#include "solver/methods.hpp"

// The root examines files and directories; every decision is broadcast or agreed, so all ranks
// throw the same InputError or none.

namespace isotherm::app {

namespace {

/// Replaces --resume-or-overwrite by the one that applies. Collective.
void choose_start(mpi::Communicator const& ranks, PreparedRun& run) {
  if (!run.options.resume_or_overwrite) {
    return;
  }
  bool found = false;
  on_root(ranks, [&] { found = can_be_resumed(run.chosen.output.directory); });
  run.options.resume = ranks.any(found);
  run.options.overwrite = !run.options.resume;
}

/// Returns true if the run resumes from results in its own output directory.
bool resumes_own_results(PreparedRun const& run) {
  // Canonical paths, since a directory may be reached through links.
  auto const folder_of = [](std::filesystem::path const& file) {
    std::error_code ignored_error;  // an error is reported when the file is read
    return std::filesystem::weakly_canonical(file, ignored_error).parent_path();
  };
  RunOptions const& options = run.options;
  return options.resume && (!options.resume_from ||
                            folder_of(*options.resume_from) ==
                                std::filesystem::weakly_canonical(run.chosen.output.directory));
}

/// Returns the fingerprint of the file to resume from. Empty if it cannot be read; the error is
/// reported later.
std::string fingerprint_to_resume(PreparedRun const& run) try {
  if (run.options.resume_from) return read_snapshot_info(*run.options.resume_from).fingerprint;
  auto const files = list_snapshots(run.chosen.output.directory, "u");
  SnapshotFile const* const newest = newest_resumable(files);
  return newest == nullptr ? "" : newest->info.fingerprint;
} catch (InputError const&) {
  return "";
}

/// Overrides the case's time step or default method by the file's, if resumed_time_step() or
/// resumed_method() allows it. Collective.
void keep_settings(mpi::Communicator const& ranks, PreparedRun& run) {
  if (!run.options.resume) return;
  std::string change;
  on_root(ranks, [&] {
    std::string const fingerprint = fingerprint_to_resume(run);
    if (fingerprint.empty()) return;
    if (auto const step = resumed_time_step(run.chosen, fingerprint)) {
      change = step->assignment;
      run.resumed_settings = "time step     " + step->remark;
    } else if (auto const method = resumed_method(run.chosen, fingerprint)) {
      change = method->assignment;
      run.resumed_settings = "method        " + method->remark;
    }
  });
  // The root has read the file; all ranks read the case again with the same override.
  change = ranks.broadcast(std::vector<std::string>{change}).front();
  if (change.empty()) return;
  std::vector<std::string> overrides = run.options.overrides;
  // Last, so it replaces the step of the case and of earlier overrides.
  overrides.push_back(change);
  run.chosen = read_case(ranks, run.options.case_file, overrides);
}

/// Decides whether old results are refused, kept or removed. Together with --resume FILE,
/// --overwrite concerns results in another directory than FILE's.
/// @throws InputError  if --overwrite would remove the results that the run resumes from
OldResults choose_old_results(PreparedRun const& run) {
  bool const own = resumes_own_results(run);
  if (own && run.options.overwrite) {
    throw InputError("--resume continues from the results in " +
                     run.chosen.output.directory.string() +
                     ", which --overwrite would remove: leave one of them out (with --resume FILE, "
                     "--overwrite may replace results in another directory than FILE's)");
  }
  return own ? OldResults::keep : run.options.overwrite ? OldResults::remove : OldResults::refuse;
}

/// Lists all files that the run reads, with the key or option that names each.
RunInputs inputs_of(PreparedRun const& run) {
  RunInputs inputs{run.options.case_file};
  Case const& chosen = run.chosen;
  // Each file is listed with the key that names it, for the message of a refusal.
  if (chosen.initial_file) {
    inputs.others.push_back({"[initial] file", chosen.initial_file->path});
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (chosen.axis_files[axis].empty()) continue;
    inputs.others.push_back({"[grid] " + axis_name(axis), chosen.axis_files[axis]});
  }
  for (auto const& field : chosen.data) inputs.others.push_back({field->key(), field->file()});
  if (chosen.run.plan_table) {
    inputs.others.push_back({"[run] plan_table", *chosen.run.plan_table});
  } else if (char const* const table = std::getenv("ISOTHERM_PLAN_TABLE")) {
    inputs.others.push_back({"ISOTHERM_PLAN_TABLE", table});
  }
  if (run.options.resume_from) {
    inputs.others.push_back({"--resume", *run.options.resume_from});
  }
  return inputs;
}

/// Checks the output directory. A dry run writes nothing, so older results are no error: it only
/// warns of them.
void check_directory(PreparedRun& run) {
  std::filesystem::path const& directory = run.chosen.output.directory;
  try {
    check_output_directory(directory, run.old_results, run.inputs);
  } catch (InputError const& refusal) {
    if (!run.options.dry_run || run.old_results != OldResults::refuse) throw;
    check_output_directory(directory, OldResults::remove, run.inputs);
    run.warnings.push_back("a run would end with this error: " + std::string(refusal.what()));
  }
}

/// Warns of a method whose settings contradict its length: checks or steps longer than the run.
void check_length(PreparedRun& run) {
  Case const& chosen = run.chosen;
  MethodSettings const& method = chosen.method;
  std::string const length = format_count(method.iterations, "iteration");
  if (chosen.said.contains("method.check_every") && method.check_every > 1 &&
      method.check_every >= method.iterations) {
    run.warnings.push_back(place_of(chosen, "method.check_every") +
                           "only the initial field is checked, since the run has at most " +
                           length + " (needs a smaller number)");
  }
  auto const& keys = method_named(method.name).keys;
  bool const is_implicit = std::ranges::find(keys, "step_tolerance") != keys.end();
  if (is_implicit && method.end_time_s && method.step_parts.empty() &&
      method.time_step_s > *method.end_time_s - method.start_time_s) {
    run.warnings.push_back(place_of(chosen, "method.time_step") + "it exceeds end_time, " +
                           shortest(*method.end_time_s) + ", so the run takes only " +
                           format_count(method.iterations, "step") +
                           " (choose a shorter time_step)");
  }
}

/// Warns of powers whose shapes lie in part outside of the grid.
void check_powers(PreparedRun& run) {
  for (PlacedRegion const& placed : run.chosen.regions) {
    if (!placed.remark.empty()) run.warnings.push_back(placed.remark);
  }
}

/// Checks that existing tables can be continued. Collective.
void check_probes(mpi::Communicator const& ranks, PreparedRun const& run) {
  on_root(ranks, [&] {
    if (run.old_results != OldResults::keep || run.chosen.probes.empty()) return;
    // The probes are those of the case stored in the file to resume from.
    SnapshotInfo const info = read_snapshot_info(run.resume_points.front().file);
    require_same_probes(run.chosen, info.case_text, info.iteration);
  });
}

/// Finds the files to resume from, or examines the initial field. Collective.
void check_first_values(mpi::Communicator const& ranks, PreparedRun& run) {
  Case const& chosen = run.chosen;
  if (run.options.resume) {
    // The steps are laid out from the newest file. make_first_values() does it again for the file
    // that it reads.
    run.resume_points = resume_points(ranks, chosen, run.options.resume_from, run.warnings);
    continue_from(run, run.resume_points.front());
    check_probes(ranks, run);
  } else if (chosen.initial_file) {
    rethrow_on_all_ranks(ranks, [&] { run.initial = find_initial_field(chosen); });
    run.warnings.insert(run.warnings.end(), run.initial->warnings.begin(),
                        run.initial->warnings.end());
  }
}

/// Returns the iteration at which the run starts.
std::int64_t first_iteration(PreparedRun const& run) {
  return run.options.resume ? run.resume_points.front().state.iteration : 0;
}

/// Adds the memory for reading the initial field. If that alone does not fit, the message blames
/// the file. Collective.
void count_initial_field(mpi::Communicator const& ranks, PreparedRun& run) {
  RunPlan& plan = run.plan;
  MemoryNeed need;
  need.host = bytes_to_read(*run.initial, plan.solver->subdomain.owned_global(),
                            run.chosen.problem.precision);
  rethrow_on_all_ranks(ranks, [&] {
    if (fits(plan.device.backend, need, plan.memory_limits)) return;
    throw InputError(place_of(run.chosen, "initial.file") + "reading it " +
                     lack_of_memory(plan.device.backend, need, plan.memory_limits) +
                     ": use more hosts, or a file of fewer points");
  });
  plan.memory.host = sum_of_bytes(plan.memory.host, need.host);  // saturates instead of overflowing
}

/// Adds the memory for this rank's part of values that the case has in files.
void count_data(PreparedRun& run) {
  RunPlan& plan = run.plan;
  plan.memory.host = sum_of_bytes(
      plan.memory.host, bytes_to_keep(run.chosen.data, plan.solver->subdomain.owned_global()));
}

/// Adds the memory for probes and quantities. If that alone does not fit, the message blames the
/// probes, unless the grid does not fit without them. Collective.
void count_probes(mpi::Communicator const& ranks, PreparedRun& run) {
  RunPlan& plan = run.plan;
  Case const& chosen = run.chosen;
  if (chosen.probes.empty()) return;
  MemoryNeed const need = memory_of_probes(ranks, chosen.probes, chosen.problem,
                                           plan.solver->subdomain, plan.device.backend);
  rethrow_on_all_ranks(ranks, [&] {
    bool const is_grid_too_large = !fits(plan.device.backend, plan.memory, plan.memory_limits);
    if (is_grid_too_large || fits(plan.device.backend, need, plan.memory_limits)) return;
    throw InputError(chosen.probes.front().said + " and " +
                     format_count(std::ssize(chosen.probes) - 1, "more table") +
                     ": storing their values " +
                     lack_of_memory(plan.device.backend, need, plan.memory_limits) +
                     " (use fewer probes, or lines of fewer points)");
  });
  plan.memory.host = sum_of_bytes(plan.memory.host, need.host);
  plan.memory.device = sum_of_bytes(plan.memory.device, need.device);
}

/// Checks the limit of open files, since the root keeps the table of each probe open.
void check_open_files(PreparedRun const& run) {
  constexpr rlim_t others = 64;  // for libraries, the log, and field files
  rlimit limit{};
  rlim_t const tables = run.chosen.probes.size();
  bool const known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (!known || tables + others <= limit.rlim_cur) return;
  throw InputError(run.chosen.probes.front().said + " and " +
                   format_count(static_cast<long long>(tables) - 1, "more table") +
                   " are open at the same time, but ulimit -n allows only " +
                   format_count(static_cast<long long>(limit.rlim_cur), "open file") +
                   " (needs fewer probes, or ulimit -n " + std::to_string(tables + others) + ')');
}

/// Plans the execution and checks the memory. Collective.
void plan(mpi::Communicator const& ranks, PreparedRun& run) {
  run.plan = make_run_plan(ranks, run.chosen, first_iteration(run), !run.options.dry_run);
  Device const& device = run.plan.device;
  // A GPU may be shared on another host than this one.
  run.shared_devices = ranks.any(device.backend == Backend::cuda && device.sharers > 1);
  run.warnings.insert(run.warnings.end(), run.plan.warnings.begin(), run.plan.warnings.end());
  if (run.initial) count_initial_field(ranks, run);
  count_data(run);
  count_probes(ranks, run);
  on_root(ranks, [&] { check_open_files(run); });
  // After all parts of the need are added.
  check_memory(ranks, run.chosen, run.plan);
  run.plan.solver->execution.spare_bytes = spare_host_bytes(run.plan);
  run.plan.solver->execution.spare_device_bytes = spare_device_bytes(run.plan);
  for (std::string const& hint :
       {hint_about_idle_cores(device), hint_about_device_code(device, build_info())}) {
    if (!hint.empty()) run.warnings.push_back(hint);
  }
}

/// Checks that the output fits on the disk, and omits default checkpoints that do not. Collective.
void check_sizes(mpi::Communicator const& ranks, PreparedRun& run) {
  bool const by_default = has_default_checkpoints(run.chosen);
  on_root(ranks, [&] {
    run.sizes = sizes_with_default_checkpoints(
        run.chosen, first_iteration(run), old_files(run.chosen.output.directory, run.old_results));
    check_disk(run.chosen, run.sizes);
  });
  double& minutes = run.chosen.checkpoint.every_minutes;
  // The root has decided; the others follow.
  if (!by_default || ranks.max(ranks.is_root() ? minutes : 0.0) > 0.0) return;
  minutes = 0.0;
  run.warnings.emplace_back(
      "no checkpoints are written during the run, since the disk has no room for them");
}

}  // namespace

void continue_from(PreparedRun& run, ResumePoint const& point) {
  keep_decisions(run.chosen.method, point.state);
  if (!method_named(run.chosen.method.name).advances_time) return;
  lay_out_steps(run.chosen.method, point.state.position());
}

PreparedRun prepare_run(mpi::Communicator const& ranks, RunOptions const& options) {
  PreparedRun run{options, read_case(ranks, options.case_file, options.overrides)};
  choose_start(ranks, run);
  keep_settings(ranks, run);
  // The order of the checks: the case first, since most errors are in it; then the directory, the
  // values, the memory and the disk.
  mpi::check_launcher();
  on_root(ranks, [&] { run.old_results = choose_old_results(run); });
  run.inputs = inputs_of(run);
  on_root(ranks, [&] { check_directory(run); });
  check_length(run);
  check_powers(run);
  check_first_values(ranks, run);
  plan(ranks, run);
  check_sizes(ranks, run);
  return run;
}

/// No directory, disk or case file is involved.
PreparedRun prepare_unwritten_run(mpi::Communicator const& ranks, Case chosen) {
  PreparedRun run{{}, std::move(chosen)};
  // Nor are checkpoints written.
  if (has_default_checkpoints(run.chosen)) run.chosen.checkpoint.every_minutes = 0.0;
  check_first_values(ranks, run);
  plan(ranks, run);
  return run;
}

}  // namespace isotherm::app
