#include "app/run/report/summary.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "case/basics/build_info.hpp"
#include "case/basics/exit_code.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/hdf5/library_version.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"

// summary.json is for scripts; its keys are documented in docs/reference/formats.md. Unknown
// numbers are null.

namespace isotherm::app {

char const* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::not_converged:
      return "not-converged";
    case Outcome::stopped:
      return "stopped";
    case Outcome::failed:
      return "failed";
  }
  return "";
}

int exit_code_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return exit_code::done;
    case Outcome::not_converged:
      return exit_code::not_converged;
    case Outcome::stopped:
      return exit_code::stopped;
    case Outcome::failed:
      return exit_code::failed;
  }
  return exit_code::failed;
}

namespace {

/// The JSON type that keeps the order of the keys, which makes the file readable.
using Json = nlohmann::ordered_json;

/// Returns the list of x, y and, in 3D, z.
Json axes(Extent3 extent, int dimension) {
  Json list{extent.x, extent.y};
  if (dimension == 3) {
    list.push_back(extent.z);
  }
  return list;
}

Json number_or_null(std::optional<double> number) { return number ? Json(*number) : Json(); }

Json text_or_null(std::string const& text) { return text.empty() ? Json() : Json(text); }

/// Returns the residuals; null for those that were not measured.
Json residual(Summary const& summary) {
  SolverState const& state = summary.state;
  Json json;
  json["first"] = number_or_null(state.first_residual);
  json["reference"] = number_or_null(state.reference);
  json["last"] = state.last_residual ? Json(state.last_residual->value) : Json();
  json["last_iteration"] = state.last_residual ? Json(state.last_residual->iteration) : Json();
  auto const error = estimated_error(summary);
  json["error"] = number_or_null(error);
  json["final_in_float64"] = number_or_null(summary.checked_residual);
  return json;
}

/// Describes the problem and the method.
Json describe_case(Case const& chosen) {
  Problem const& problem = chosen.problem;
  bool const advances_time = method_named(chosen.method.name).advances_time;
  return {
      {"title", chosen.title},
      {"label", text_or_null(chosen.output.look.label)},
      {"time_unit", text_or_null(chosen.output.look.time_unit)},
      {"equation", name(problem.equation)},
      {"dimension", problem.grid.dimension},
      {"points", axes(problem.grid.points, problem.grid.dimension)},
      {"precision", name(problem.precision)},
      {"method", chosen.method.name},
      {"iterations", chosen.method.iterations},
      {"time_step_s", advances_time ? Json(step_lengths(chosen.method).second) : Json()},
      {"time_tolerance",
       chosen.method.adaptive.tolerance > 0.0 ? Json(chosen.method.adaptive.tolerance) : Json()},
      {"tolerance", chosen.method.tolerance > 0.0 ? Json(chosen.method.tolerance) : Json()},
      {"norm", name(chosen.method.norm)},
      {"check_every", chosen.method.check_every}};
}

/// Returns the coordinates of a point; null if there is none.
Json place(Grid const& grid, std::optional<Index3> const& point) {
  if (!point) return {};
  Json json = Json::array();
  for (int axis = 0; axis < axis_count(grid); ++axis) {
    json.push_back(grid.coordinate(axis, (*point)[axis]));
  }
  return json;
}

/// Describes the statistics of the final field; null if there are none.
Json describe_field(Grid const& grid, std::optional<FieldStatistics> const& field) {
  if (!field) return {};
  return {{"min", field->minimum},
          {"min_at", place(grid, field->minimum_at)},
          {"max", field->largest},
          {"max_at", place(grid, field->largest_at)},
          {"mean", field->mean}};
}

/// Returns the heat flows by name; null if they were not measured.
Json describe_inflows(std::optional<Inflows> const& inflows) {
  Json json;
  for (std::size_t i = 0; inflows && i < inflows->names.size(); ++i) {
    json[inflows->names[i]] = inflows->values[i];
  }
  return json;
}

/// Describes the floating conductors by name, or by number; null if there are none.
Json describe_floating(Case const& chosen, std::vector<FloatingConductor> const& conductors) {
  Json json;
  for (FloatingConductor const& one : conductors) {
    json[name_of_fixed(chosen.problem, one.region)] = {
        {"value", one.value}, {"flux", one.flux}, {"given_flux", one.given_flux}};
  }
  return json;
}

/// Returns values by the names of axes.
Json by_axis(std::vector<AxisValue> const& values) {
  Json json = Json::object();
  for (AxisValue const& one : values) json[std::string{"xyz"[one.axis]}] = one.value;
  return json;
}

/// Describes the mean flux, or the effective conductivity; null if there is none.
Json describe_mean_flux(std::optional<MeanFlux> const& found) {
  return found ? by_axis(found->flux) : Json();
}
Json describe_conductivity(std::optional<MeanFlux> const& found) {
  return found && !found->conductivity.empty() ? by_axis(found->conductivity) : Json();
}

/// Describes the heat balance. JSON has no infinity, so an infinite bound is null.
Json describe_heat_balance(std::optional<HeatBalance> const& balance) {
  if (!balance) return {};
  Json json{{"in", balance->in},
            {"out", balance->out},
            {"net", balance->net},
            {"rounding", balance->rounding}};
  json["allowed"] = std::isfinite(balance->allowed) ? Json(balance->allowed) : Json();
  return json;
}

/// Lists the regions with their measures; null for those that are not known.
Json describe_regions(std::vector<MeasuredRegion> const& regions) {
  Json list = Json::array();
  for (MeasuredRegion const& region : regions) {
    list.push_back({{"kind", region.placed.kind},
                    {"name", region.placed.name},
                    {"measure", region.found ? Json(*region.found) : Json()},
                    {"asked", region.asked ? Json(*region.asked) : Json()},
                    {"power", region.placed.power ? Json(*region.placed.power) : Json()},
                    {"heated_share", region.heated_share},
                    {"by_points", region.placed.by_points}});
  }
  return list;
}

/// Describes where the criterion of the case ended the run; null if none did.
Json describe_stop(std::optional<StopPoint> const& stop) {
  if (!stop) return {};
  return {{"criterion", stop->criterion},
          {"iteration", stop->iteration},
          {"time_s", stop->time_s},
          {"value", stop->value}};
}

/// Describes the steps of a run with a time_tolerance; null for others.
Json describe_steps(std::optional<StepState> const& steps) {
  if (!steps) return {};
  return {{"accepted", steps->accepted},
          {"rejected", steps->rejected},
          {"shortest_s", steps->shortest_s},
          {"longest_s", steps->longest_s}};
}

/// Names the coarser levels of multigrid; null if nothing has chosen them.
Json describe_hierarchy(HierarchyKind kind) {
  return kind == HierarchyKind::automatic ? Json() : Json(name(kind));
}

/// Describes the results of the run.
Json describe_result(Case const& chosen, Summary const& summary) {
  return {{"iterations", summary.state.iteration},
          {"time_s", summary.time_s},
          {"divided_steps", describe_steps(summary.state.steps)},
          {"linear_iterations",
           is_nonlinear(chosen.problem) ? Json(summary.linear_iterations) : Json()},
          {"hierarchy", describe_hierarchy(summary.state.hierarchy)},
          {"converged", summary.converged},
          {"stalled", summary.stalled},
          {"stop", describe_stop(summary.stop)},
          {"residual", residual(summary)},
          {"final_file", summary.final_file.empty() ? Json() : Json(summary.final_file)},
          {"checksum", summary.checksum ? Json(fmt::format("{:016x}", *summary.checksum)) : Json()},
          {"field", describe_field(chosen.problem.grid, summary.field)},
          {"flux", describe_inflows(summary.inflows)},
          {"floating", describe_floating(chosen, summary.floating)},
          {"mean_flux", describe_mean_flux(summary.mean_flux)},
          {"effective_conductivity", describe_conductivity(summary.mean_flux)},
          {"heat_balance", describe_heat_balance(summary.heat_balance)},
          {"files", summary.files}};
}

/// Describes the device, the ranks, the decomposition and the kernels of the run.
Json describe_execution(Case const& chosen, RunPlan const& plan, Summary const& summary) {
  int const dimension = chosen.problem.grid.dimension;
  MemoryNeed const& memory = plan.memory;
  return {{"backend", name(plan.device.backend)},
          {"device", plan.device.info.name},
          {"ranks", summary.ranks},
          {"hosts", plan.device.hosts},
          {"ranks_share_a_gpu", summary.shared_devices},
          {"threads_per_rank", plan.device.threads},
          {"decomposition", axes(plan.execution.parts, dimension)},
          {"largest_part", axes(plan.largest_part, dimension)},
          {"transport", summary.transport},
          {"plan", summary.sweep.name},
          {"plan_table", plan.sweep_from.empty() ? Json() : Json(plan.sweep_from)},
          {"iterations_per_pass", summary.sweep.steps},
          {"device_bytes_per_rank", memory.device},
          {"host_copy_bytes_per_rank", memory.host},
          {"bytes_per_iteration", bytes_per_iteration(chosen.problem, chosen.method)}};
}

/// Describes times and rates.
Json describe_performance(Performance const& performance) {
  TimeSplit const& time = performance.time;
  return {{"iterations", performance.iterations},
          {"wall_s", time.wall_s},
          {"solve_s", time.solve_s},
          {"compute_s", time.compute_s},
          {"halo_s", time.halo_s},
          {"reduction_s", time.reduction_s},
          {"output_s", time.output_s},
          {"gcells_per_second", performance.points_per_second * 1e-9},
          {"bytes_per_second", performance.bytes_per_second},
          {"copy_bytes_per_second", number_or_null(performance.copy_bytes_per_second)},
          {"share_of_copy", number_or_null(performance.share_of_copy())}};
}

/// Describes the output: fields written, failed and skipped.
Json describe_output(BackgroundOutput const& background, OutputCounts const& counts) {
  return {{"in_background", background.possible},
          {"fields_written", counts.written},
          {"fields_failed", counts.failed},
          {"checkpoints_skipped", counts.skipped},
          {"write_s", counts.write_s}};
}

/// Lists the versions of isotherm and of its libraries.
Json describe_build() {
  BuildInfo const build = build_info();
  return {{"isotherm", build.version},
          {"revision", build.revision},
          {"build_type", build.type},
          {"compiler", build.compiler},
          {"flags", build.flags},
          {"cuda", build.cuda_version[0] ? Json(build.cuda_version) : Json()},
          {"mpi", mpi::library_version()},
          {"hdf5", hdf5_version()}};
}

/// Describes the file that the run resumed from; null if it started anew.
Json describe_resumed(std::optional<ResumePoint> const& point) {
  return point ? Json{{"file", point->file.string()}, {"iteration", point->state.iteration}}
               : Json();
}

}  // namespace

bool has_values(Summary const& summary) {
  return !summary.field ||
         (std::isfinite(summary.field->minimum) && std::isfinite(summary.field->largest));
}

std::optional<double> estimated_error(Summary const& summary) {
  if (summary.state.found_error) return summary.state.found_error;
  if (summary.checked_residual) return summary.checked_error;
  auto const& last = summary.state.last_residual;
  return last ? last->error : std::nullopt;
}

std::string to_json(Case const& chosen, RunPlan const& plan, Summary const& summary) {
  Json json;
  json["format"] = summary_format;
  json["status"] = name(summary.outcome);
  json["exit_code"] = exit_code_of(summary.outcome);
  json["message"] = summary.message;
  json["case"] = describe_case(chosen);
  if (!summary.overrides.empty()) json["overrides"] = summary.overrides;
  json["warnings"] = summary.warnings;
  json["regions"] = describe_regions(summary.regions);
  json["result"] = describe_result(chosen, summary);
  json["resumed_from"] = describe_resumed(summary.resumed_from);
  json["execution"] = describe_execution(chosen, plan, summary);
  json["performance"] = summary.performance ? describe_performance(*summary.performance) : Json();
  json["output"] = describe_output(plan.background, summary.output);
  json["versions"] = describe_build();
  // Text that is not UTF-8, as paths may be, is replaced instead of refused.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace isotherm::app
