#include "app/run/report/run_header.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/run/report/page/report_page.hpp"
#include "app/run/schedule/convergence_check.hpp"
#include "app/run/schedule/snapshot_schedule.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "case/basics/version.hpp"
#include "io/picture/slice_sampling.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/sweep/resident.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/direct/make_direct.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"

// Only formatting, no measurement: every number comes from the case, the plan or the summary. Texts
// here are what users read first, so they use the words of the case file.

namespace isotherm::app {

namespace {

/// Formats a line with its keyword; an empty keyword continues the line before.
std::string entry(std::string const& name, std::string const& text) {
  return fmt::format("{:<14}{}", name, text);
}

/// Returns " at x = 0.5, y = 0.25"; empty without a point.
std::string place_text(Grid const& grid, std::optional<Index3> const& point) {
  if (!point) return "";
  std::vector<std::string> coordinates;
  coordinates.reserve(3);
  for (int axis = 0; axis < axis_count(grid); ++axis) {
    coordinates.push_back(
        fmt::format("{} = {:.6g}", "xyz"[axis], grid.coordinate(axis, (*point)[axis])));
  }
  return " at " + join(coordinates);
}

/// Returns where the largest value of a 3D field can be seen if no plane of the picture contains
/// it; else an empty text.
std::string plane_of_maximum(Case const& chosen, Summary const& summary) {
  Grid const& grid = chosen.problem.grid;
  if (grid.dimension == 2 || !summary.field || !summary.field->largest_at) return "";
  if (summary.field->minimum == summary.field->largest) return "";
  // A thousandth of the range is no visible difference.
  double const range = summary.field->largest - summary.field->minimum;
  if (!summary.largest_drawn) return "";
  if (summary.field->largest - *summary.largest_drawn <= 1e-3 * range) return "";
  Index3 const point = *summary.field->largest_at;
  return fmt::format(
      "the maximum lies in none of its planes; [output] picture_slice = {{ z = {:.6g} }} shows it",
      grid.coordinate(2, point.z));
}

/// Returns the line with title, equation, grid and precision.
std::string case_line(Case const& chosen) {
  Problem const& problem = chosen.problem;
  int const axes = axis_count(problem.grid);
  return entry(
      "case", fmt::format("{}: {} in {}D, {} points, {}", chosen.title, name(problem.equation),
                          axes, format_extent(problem.grid.points, axes), name(problem.precision)));
}

/// Returns "34 steps of 0.025 to 0.03, which end at 2 output times before the end".
std::string steps_in_words(MethodSettings const& method) {
  auto const [shortest_s, longest_s] = step_lengths(method);
  std::string text = fmt::format("{} steps of {:.6g}", method.iterations, shortest_s);
  if (!same_time(shortest_s, longest_s)) text += fmt::format(" to {:.6g}", longest_s);
  if (!method.times_s.empty()) {
    text += ", which end at " +
            format_count(static_cast<long long>(method.times_s.size()), "output time") +
            (method.end_time_s ? " before the end" : "");
  }
  if (method.adaptive.tolerance > 0.0) {
    text += fmt::format(", divided so that each has an error of at most {:g} (estimated)",
                        method.adaptive.tolerance);
  }
  return text;
}

/// Returns the condition that ends a run: "the estimated error is 1e-06 of the field's range or the
/// l2 residual is 1e-09".
std::string goal(MethodSettings const& method) {
  std::string const residual = fmt::format("the {} residual is ", name(method.norm));
  std::string text;
  if (method.tolerance > 0.0 && method.relative_to == RelativeTo::field) {
    text = fmt::format("the estimated {} error is {:g} of the field's range", name(method.norm),
                       method.tolerance);
  } else if (method.tolerance > 0.0) {
    text = fmt::format("{}{:g} of the {}", residual, method.tolerance,
                       method.relative_to == RelativeTo::rhs ? "right-hand side" : "first");
  }
  if (method.absolute_tolerance > 0.0) {
    text +=
        fmt::format("{}{}{:g}", text.empty() ? "" : " or ", residual, method.absolute_tolerance);
  }
  return text;
}

/// Returns "tolerance 1e-06", "absolute_tolerance 1e-09", or both.
std::string tolerance_in_words(MethodSettings const& method) {
  std::string text;
  if (method.tolerance > 0.0) text = fmt::format("tolerance {:g}", method.tolerance);
  if (method.absolute_tolerance > 0.0) {
    text += fmt::format("{}absolute_tolerance {:g}", text.empty() ? "" : " or ",
                        method.absolute_tolerance);
  }
  return text;
}

/// Returns the line with the method, the number of steps or iterations, and the tolerance.
std::string method_line(Case const& chosen) {
  MethodSettings const& method = chosen.method;
  bool const is_preconditioner = method.name == "direct" && !is_separable_problem(chosen.problem);
  std::string const name =
      method.name + (is_preconditioner ? " as a preconditioner of conjugate gradients" : "");
  std::string text = method_named(method.name).advances_time
                         ? name + ", " + steps_in_words(method)
                         : fmt::format("{}, at most {} iterations", name, method.iterations);
  if (has_tolerance(method)) {
    text += ", until " + goal(method);
  }
  return entry("method", text);
}

/// Returns why multigrid is the default instead of a direct solution.
/// @param obstacle  to a direct solution; empty without one
std::string reason_for_multigrid(Case const& chosen, std::string const& obstacle) {
  auto const is_given = [&](std::string_view key) {
    return key != "iterations" && chosen.said.contains("method." + std::string(key));
  };
  if (std::ranges::any_of(method_named("multigrid").keys, is_given)) {
    return "the case has keys of its cycles";
  }
  if (!obstacle.empty()) return "a direct solution is not possible, since " + obstacle;
  return "estimated to be faster than direct";
}

/// Returns why a steady method is the default; empty if the case names it, or no tolerance is
/// given.
std::string reason_for_method(Case const& chosen) {
  std::string const& by_default = chosen.method.name;
  bool const is_direct = by_default == "direct";
  if (chosen.said.contains("method.name") || !(is_direct || by_default == "multigrid")) return "";
  if (is_direct) return "estimated to be faster than multigrid";
  return reason_for_multigrid(chosen, obstacle_to_method(chosen.problem));
}

/// Returns the line on the solver of implicit steps, and why it is the default if the case does not
/// name it; empty for other methods and for Newton's method.
std::string step_solver_line(Case const& chosen) {
  MethodSettings const& method = chosen.method;
  bool const is_implicit = method.name == "backward_euler" || method.name == "crank_nicolson";
  if (!is_implicit || is_nonlinear(chosen.problem)) return "";
  std::string const text =
      method.direct_steps ? "a direct solution per step" : "multigrid cycles in each step";
  if (chosen.said.contains("method.step_solver")) return entry("", text);
  return entry("", text + ", the default: " +
                       (method.direct_steps
                            ? "estimated to be faster than multigrid"
                            : reason_for_multigrid(chosen, obstacle_to_direct(chosen.problem))));
}

/// Returns the line with ranks, hosts and devices, and the reason for the choice if there is one.
std::string devices_line(RunPlan const& plan, int ranks, bool shared) {
  Device const& device = plan.device;
  std::string text = fmt::format("{} on {}, {}: {}{}", format_count(ranks, "rank"),
                                 format_count(device.hosts, "host"), name(device.backend),
                                 describe(device), ranks > 1 ? " each" : "");
  if (shared) {
    text += ", ranks share a GPU";
  }
  return entry("devices", text + (device.reason.empty() ? "" : " (" + device.reason + ")"));
}

/// Returns the line on the decomposition.
std::string parts_line(Case const& chosen, RunPlan const& plan) {
  int const axes = axis_count(chosen.problem.grid);
  return entry("decomposition", fmt::format("{}, at most {} points per rank",
                                            format_extent(plan.execution.parts, axes),
                                            format_extent(plan.largest_part, axes)));
}

/// Returns the line on the memory that the run needs and that is free.
std::string memory_line(RunPlan const& plan) {
  bool const cuda = plan.device.backend == Backend::cuda;
  MemoryNeed const& need = plan.memory;
  MemoryLimits const& limits = plan.memory_limits;
  auto const bytes = [](std::size_t count) { return format_bytes(static_cast<double>(count)); };
  if (cuda) {
    return entry("memory", fmt::format("{} of {} on the device and {} of {} on the host per rank",
                                       bytes(need.device), bytes(limits.device), bytes(need.host),
                                       bytes(limits.host)));
  }
  return entry("memory", fmt::format("{} of {} per rank", bytes(need.device + need.host),
                                     bytes(limits.host)));
}

/// Returns the line on the transforms of direct solutions: "fft along x, tridiagonal along y; …".
std::string transforms_line(Case const& chosen, RunPlan const& plan) {
  double const bytes = bytes_per_iteration(chosen.problem, chosen.method);
  Extent3 const parts = plan.solver->subdomain.parts();
  auto const ranks = static_cast<int>(parts.x * parts.y * parts.z);
  return entry(
      "transforms",
      fmt::format("{}; {} moves at least {}",
                  transforms_in_words(chosen.problem, plan.device.backend, ranks),
                  chosen.method.direct_steps ? "a step" : "an iteration", format_bytes(bytes)));
}

/// Returns the line on the sweep plan, with the number of iterations per pass (temporal blocking).
std::string sweeps_line(Case const& chosen, RunPlan const& plan, SweepPlan const& sweep) {
  if (chosen.method.name == "direct" || chosen.method.direct_steps) {
    return transforms_line(chosen, plan);
  }
  std::string const from = plan.sweep_from.empty() ? "" : " by " + plan.sweep_from;
  if (sweep.name == resident_plan) {
    return entry("sweeps", sweep.name + from + ", one kernel for all steps between two checks");
  }
  return entry("sweeps",
               fmt::format("{}{}, {} per pass; an iteration moves at least {}", sweep.name, from,
                           format_count(sweep.steps, "iteration"),
                           format_bytes(bytes_per_iteration(chosen.problem, chosen.method))));
}

/// Returns a time and its share of another, such as "12.3 s (45 %)".
std::string share(double part_s, double all_s) {
  return fmt::format("{} ({:.0f} %)", format_seconds(part_s),
                     all_s > 0.0 ? 100.0 * part_s / all_s : 0.0);
}

/// Returns ", from a copy of 4.3 GB on the device"; empty without such a copy.
std::string copy_note(BackgroundOutput const& background) {
  if (background.copy_bytes == 0) return "";
  return ", from a copy of " + format_bytes(static_cast<double>(background.copy_bytes)) +
         " on the device";
}

/// Describes fields that were not written; empty if all were.
std::string output_gaps(OutputCounts const& output) {
  std::vector<std::string> gaps;
  if (output.failed > 0) {
    gaps.push_back(format_count(output.failed, "field") + " could not be written");
  }
  if (output.skipped > 0) {
    gaps.push_back(format_count(output.skipped, "checkpoint") +
                   " skipped, since the previous one was not on disk yet");
  }
  return join(gaps);
}

/// Returns true if the residual grew during the run and the estimated error is not small: the
/// cycles diverge.
bool grows(SolverState const& state) {
  constexpr double far = 0.1;  // share of the field's range
  if (!state.first_residual || !state.last_residual) return false;
  Residual const& last = *state.last_residual;
  return last.value > *state.first_residual && !(last.error && *last.error < far);
}

/// Returns true if the heat balance refutes the estimated error.
bool is_out_of_balance(Summary const& summary) {
  return summary.heat_balance && !summary.heat_balance->closes();
}

/// Returns true if multigrid has found a larger error than the run had estimated.
bool is_refuted(Case const& chosen, SolverState const& state) {
  return state.refuted || (state.found_error && *state.found_error > chosen.method.tolerance);
}

/// True if Newton's method has stalled above the rounding floor. At the floor it knows the error.
bool has_stalled_without_reason(Case const& chosen, Summary const& summary) {
  auto const& last = summary.state.last_residual;
  return summary.stalled && is_nonlinear(chosen.problem) &&
         !method_named(chosen.method.name).advances_time && !(last && last->error);
}

/// Returns how much the residual has fallen in how many iterations.
std::string reduction(SolverState const& state) {
  std::string const after = "after " + format_count(state.iteration, "iteration");
  bool const is_known = state.first_residual && *state.first_residual > 0.0 && state.last_residual;
  if (!is_known) return after + " the residual is not known";
  return after + fmt::format(" the residual is {:.2g} of the first",
                             state.last_residual->value / *state.first_residual);
}

/// Returns advice on how to reach the tolerance, in parentheses. The first applicable cause
/// decides: the heat balance, divergence, a final check, the rounding floor, a refuted claim, too
/// few steps.
std::string advice(Case const& chosen, Summary const& summary) {
  bool const float32 = chosen.problem.precision == Precision::float32;
  if (is_out_of_balance(summary)) {
    return std::string(" (the error is larger than estimated: set a smaller tolerance") +
           (float32 ? ", or [grid] precision = \"float64\")" : ")");
  }
  Method const& method = method_named(chosen.method.name);
  // In time steps the change decreases until only rounding is left, so growth means divergence only
  // for steady methods.
  if (summary.stalled && !method.advances_time && grows(summary.state)) {
    return std::string(" (its cycles do not converge: ") +
           (float32 ? R"(set [grid] precision)" : R"([method] cycle_precision)") +
           R"( = "float64" or larger pre and post may help))";
  }
  if (has_stalled_without_reason(chosen, summary)) {
    return " (Newton's method stalls: " + reduction(summary.state) +
           "; other initial values may help)";
  }
  bool const is_rounding = summary.stalled || float32;
  if (summary.checked_residual && !is_rounding) {
    return summary.checked_error ? fmt::format(
                                       " (its estimated error is {:.1g} of the field's range: set "
                                       "a smaller tolerance)",
                                       *summary.checked_error)
                                 : " (its error cannot be estimated)";
  }
  if (summary.stalled || summary.checked_residual) {
    auto const error = estimated_error(summary);
    std::string const floor = error ? fmt::format(
                                          ": the rounding floor corresponds to an error of "
                                          "approximately {:.1g} of the field's range",
                                          *error)
                                    : ": only rounding is left, and its error cannot be estimated";
    return std::string(" (") + name(chosen.problem.precision) + " cannot reach it here" + floor +
           "; " + (float32 ? "set [grid] precision = \"float64\", or " : "") +
           "choose a larger tolerance)";
  }
  if (is_refuted(chosen, summary.state) && !summary.stalled) {
    return std::string(
               " (parts of the domain settle far more slowly than others: continue with --resume "
               "and "
               "more ") +
           (method.advances_time ? R"(steps, or solve the steady equation with "multigrid"))"
                                 : R"(iterations, or set [method] name = "multigrid"))");
  }
  if (method.advances_time) return " (continue with --resume and more steps)";
  return method.evaluates_residuals ? " (continue with --resume and more iterations)"
                                    : " (continue with --resume and more iterations, or set "
                                      "[method] name = \"multigrid\")";
}

/// Explains why a field is not converged although its residuals claimed it.
std::string describe_check(Case const& chosen, Summary const& summary) {
  if (!has_values(summary)) {
    return ": the field has no finite value (make insulated regions smaller, or the grid finer, so "
           "that grid points lie in the medium)";
  }
  // Without a claim there is nothing to explain.
  if (!claims_convergence(chosen.method, summary.state)) return "";
  // The line reports the error that refutes the claim.
  if (is_refuted(chosen, summary.state) && !summary.converged && !summary.checked_residual)
    return "";
  if (is_out_of_balance(summary)) return ": " + describe(*summary.heat_balance);
  // The residual was evaluated in float64, but is not within the tolerance of its reference.
  if (has_been_evaluated(chosen)) return ": " + reduction(summary.state);
  if (!summary.checked_residual) {
    return std::string(": ") + name(chosen.problem.precision) +
           " rounding exceeds the tolerance, and no memory is left to evaluate the residual in "
           "float64";
  }
  return fmt::format(": the residual of the final field is {:.4g}, evaluated in float64",
                     *summary.checked_residual);
}

/// True if the case sets a property of the medium anywhere.
bool sets_property(Case const& chosen, std::string const& property) {
  return std::ranges::any_of(chosen.said, [&](auto const& entry) {
    std::string const& key = entry.first;
    return key == "equation." + property ||
           (key.starts_with("material.") && key.ends_with('.' + property));
  });
}

/// True if a case of diffusion has conductivities without a heat capacity.
bool lacks_capacity(Case const& chosen) {
  return chosen.problem.equation == Equation::diffusion && sets_property(chosen, "conductivity") &&
         !sets_property(chosen, "capacity");
}

}  // namespace

std::vector<std::string> header_lines(Case const& chosen, RunPlan const& plan, int ranks,
                                      bool shared_devices) {
  std::vector<std::string> lines{build_line(), case_line(chosen), method_line(chosen)};
  if (std::string const reason = reason_for_method(chosen); !reason.empty()) {
    lines.push_back(entry("", "the default: " + reason));
  }
  if (std::string const line = step_solver_line(chosen); !line.empty()) {
    lines.push_back(line);
  }
  if (lacks_capacity(chosen)) {
    lines.push_back(entry("", "the heat capacity is 1, as the case gives conductivities only"));
  }
  lines.push_back(devices_line(plan, ranks, shared_devices));
  if (!plan.tuned.empty()) lines.push_back(entry("measured", plan.tuned));
  lines.push_back(memory_line(plan));
  return lines;
}

std::vector<std::string> detail_lines(Case const& chosen, RunPlan const& plan,
                                      std::string const& transport, SweepPlan const& sweep) {
  return {
      parts_line(chosen, plan),
      entry("halos", transport),
      sweeps_line(chosen, plan, sweep),
  };
}

std::vector<std::string> output_lines(Case const& chosen, OutputSizes const& sizes,
                                      BackgroundOutput const& background) {
  bool const pictured = sizes.pictures > 0;
  // With compression or pictures the size is only an upper bound.
  std::string const limit = chosen.output.compression > 0 || pictured ? "at most " : "";
  std::string const bound = pictured ? " (pictures uncompressed, usually far less)" : "";
  std::string const pictures =
      pictured ? fmt::format(", {} of up to {}", format_count(sizes.pictures, "picture"),
                             format_bytes(sizes.picture_bytes))
               : "";
  std::vector<std::string> lines{
      entry("output", chosen.output.directory.string()),
      entry("", fmt::format(
                    "{} of {}, {} of {}{}: {}{} in total{}, {} free",
                    format_count(sizes.snapshots, "snapshot"), format_bytes(sizes.snapshot_bytes),
                    format_count(sizes.whole_files, "whole field"), format_bytes(sizes.file_bytes),
                    pictures, limit, format_bytes(sizes.total_bytes), bound,
                    format_bytes(sizes.free_bytes)))};
  // No message if the case asks for no field before the end.
  if (background.only_default) return lines;
  if (background.possible) {
    lines.push_back(entry("", "written in the background" + copy_note(background)));
  } else if (!background.obstacle.empty()) {
    lines.push_back(entry("", "the run waits for each file: " + background.obstacle));
  }
  return lines;
}

std::string default_checkpoint_line(Case const& chosen, OutputSizes const& sizes,
                                    BackgroundOutput const& background) {
  CheckpointSettings const& checkpoint = chosen.checkpoint;
  if (!has_default_checkpoints(chosen)) return "";
  return entry("checkpoints",
               fmt::format("every {:g} min{}; up to {} in addition", checkpoint.every_minutes,
                           background.possible ? ", in the background" + copy_note(background) : "",
                           format_bytes(sizes.checkpoint_bytes)));
}

/// The line has iterations or steps, the last residual, the estimated error, and the conclusion.
std::string outcome_line(Case const& chosen, Summary const& summary) {
  std::string text = fmt::format("{} iterations", summary.state.iteration);
  if (method_named(chosen.method.name).advances_time) {
    text = fmt::format("{} steps, t = {:.6g}", summary.state.iteration, summary.time_s);
  }
  if (auto const& last = summary.state.last_residual) {
    char const* const what =
        method_named(chosen.method.name).advances_time ? "norm of u_t" : "residual";
    char const* const unit = method_named(chosen.method.name).advances_time ? "step" : "iteration";
    text +=
        fmt::format(", {} {} {:.4g} at {} {} (first {:.4g})", name(chosen.method.norm), what,
                    last->value, unit, last->iteration, summary.state.first_residual.value_or(0.0));
    auto const error = estimated_error(summary);
    bool const found = summary.state.found_error.has_value();
    if (error) {
      text += fmt::format(", {} {:.2g} of the range", found ? "error" : "estimated error", *error);
    }
  }
  switch (summary.outcome) {
    case Outcome::stopped:
      // The message contains the reason for the stop.
      text += "; " + summary.message + ", continue with --resume";
      break;
    case Outcome::not_converged:
      // First the reason, then advice.
      text += fmt::format("; the {} is not reached", tolerance_in_words(chosen.method)) +
              describe_check(chosen, summary) + advice(chosen, summary);
      break;
    default:
      if (auto const& stop = summary.stop) {
        text += fmt::format("; {} is met at t = {:.10g}", stop->criterion, stop->time_s);
      } else if (has_tolerance(chosen.method)) {
        text += "; the tolerance is reached";
      }
  }
  return entry(name(summary.outcome), text);
}

/// The line on output appears only if some field was not written.
std::vector<std::string> footer_lines(Performance const& performance, OutputCounts const& output) {
  TimeSplit const& time = performance.time;
  std::string rate = format_rate(performance.points_per_second);
  // The bandwidth that the updates need, relative to that of plain copies, which bounds the speed.
  if (auto const copy_share = performance.share_of_copy()) {
    rate += fmt::format(", {:.0f} % of the copy bandwidth ({:.4g} GB/s in this run)",
                        100.0 * *copy_share, *performance.copy_bytes_per_second * 1e-9);
  }
  std::vector<std::string> lines{
      entry("time",
            fmt::format("{}: compute {}, halo {}, reduction {}, output {}",
                        format_seconds(time.wall_s), share(time.compute_s, time.wall_s),
                        share(time.halo_s, time.wall_s), share(time.reduction_s, time.wall_s),
                        share(time.output_s, time.wall_s))),
      entry("rate", rate),
  };
  if (std::string const gaps = output_gaps(output); !gaps.empty()) {
    lines.push_back(entry("output", gaps));
  }
  return lines;
}

namespace {

/// Summarises the flows through faces, from fixed regions and from the source, and their balance.
/// In a steady problem the balance is an error; in a diffusion it is the gain of the box.
std::string inflow_text(Case const& chosen, Inflows const& inflows) {
  double in = 0.0;
  double out = 0.0;
  // The last value is the balance, all others are flows.
  for (std::size_t i = 0; i + 1 < inflows.values.size(); ++i) {
    if (is_part_of_inflow(inflows.names[i])) continue;
    // Positive values flow into the box.
    (inflows.values[i] > 0.0 ? in : out) += std::abs(inflows.values[i]);
  }
  double const balance = inflows.values.back();
  std::string const both = fmt::format(
      "{:.6g} in, {:.6g} out through whole faces, fixed and floating regions and sources, ", in,
      out);
  if (chosen.problem.equation != Equation::diffusion) {
    return both + fmt::format("balance {:.2g}", balance);
  }
  return both +
         fmt::format("the box {} {:.6g}", balance < 0.0 ? "loses" : "gains", std::abs(balance));
}

}  // namespace

/// The last lines name files, since these are what a user opens next.
std::vector<std::string> result_lines(Case const& chosen, Summary const& summary) {
  std::vector<std::string> lines;
  if (auto const& field = summary.field) {
    Grid const& grid = chosen.problem.grid;
    lines.push_back(
        entry("field", fmt::format("min {:.6g}{}, max {:.6g}{}, mean {:.6g}", field->minimum,
                                   place_text(grid, field->minimum_at), field->largest,
                                   place_text(grid, field->largest_at), field->mean)));
  }
  if (auto const& steps = summary.state.steps) {
    lines.push_back(entry(
        "time steps", fmt::format("{} accepted of {:.4g} to {:.4g}, {} rejected", steps->accepted,
                                  steps->shortest_s, steps->longest_s, steps->rejected)));
  }
  if (summary.inflows) lines.push_back(entry("flux", inflow_text(chosen, *summary.inflows)));
  for (FloatingConductor const& one : summary.floating) {
    lines.push_back(entry("floating", fmt::format("{}: value {:.6g}, flux {:.6g} (given {:.6g})",
                                                  name_of_fixed(chosen.problem, one.region),
                                                  one.value, one.flux, one.given_flux)));
  }
  if (summary.mean_flux) lines.push_back(entry("mean flux", describe(*summary.mean_flux)));
  if (summary.heat_balance) lines.push_back(entry("heat balance", describe(*summary.heat_balance)));
  std::filesystem::path const& directory = chosen.output.directory;
  if (chosen.output.picture) {
    std::string const file = std::string("u.") + name(*chosen.output.picture);
    lines.push_back(entry("picture", (directory / file).string()));
    if (std::string const plane = plane_of_maximum(chosen, summary); !plane.empty()) {
      lines.push_back(entry("", plane));
    }
  }
  if (!chosen.output.film.empty()) {
    lines.push_back(entry("film", (directory / ("film." + chosen.output.film)).string()));
  }
  lines.push_back(entry("ParaView", (directory / "u.xmf").string()));
  if (chosen.output.report) lines.push_back(entry("report", (directory / report_name).string()));
  return lines;
}

std::string estimate_line(Case const& chosen, TimeEstimate const& estimate) {
  // The resumed run is at its end already.
  if (estimate.timed == 0) {
    return entry("time", "none: no iteration is left");
  }
  std::string const one = method_named(chosen.method.name).advances_time ? "step" : "iteration";
  // For a large grid, only a part of it was timed.
  bool const whole = estimate.grid == chosen.problem.grid.points;
  std::string const undivided = chosen.method.adaptive.tolerance > 0.0 ? " if none is divided" : "";
  return entry(
      "time",
      fmt::format(
          "approximately {} for {}{}, without output (estimated: {} of {} took {})",
          format_seconds(estimate.seconds),
          has_tolerance(chosen.method) || chosen.stop ? "at most " : "",
          format_count(estimate.iterations, one) + undivided, format_count(estimate.timed, one),
          whole ? "this grid"
                : "a part of it, " + format_extent(estimate.grid, axis_count(chosen.problem.grid)) +
                      " points,",
          format_seconds(estimate.timed_s)));
}

}  // namespace isotherm::app
