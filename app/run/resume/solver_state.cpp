#include "app/run/resume/solver_state.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "case/basics/build_info.hpp"
#include "case/basics/text/json_text.hpp"
#include "case/basics/text/wording.hpp"
#include "kernels/core/number_text.hpp"

// The state is stored as JSON text with the field. Members without a value are omitted, so files of
// older versions, which lack some of them, are readable.

namespace isotherm::app {

SnapshotInfo describe_field(Case const& chosen, Solver& solver) {
  SolverState const state = solver.state();
  SnapshotInfo info;
  info.iteration = state.iteration;
  info.time_s = solver.time_s();
  info.case_text = chosen.text;
  info.fingerprint = chosen.fingerprint;
  info.state = to_json(state);
  info.version = build_info().version;
  return info;
}

namespace {

/// Describes the present segment of equal time steps.
nlohmann::json json_of(TimeSegment const& segment) {
  nlohmann::json steps{
      {"first", segment.first}, {"begin_s", segment.begin_s}, {"step_s", segment.step_s}};
  // Without an end time the segment has no last step.
  if (segment.last != TimeSegment::endless) {
    steps["last"] = segment.last;
    steps["end_s"] = segment.end_s;
  }
  return steps;
}

nlohmann::json json_of(Residual const& last) {
  nlohmann::json residual{
      {"iteration", last.iteration}, {"time_s", last.time_s}, {"value", last.value}};
  // The estimate is relative to the range of the field.
  if (last.error) {
    residual["error"] = *last.error;
    residual["range"] = last.range;
  }
  return residual;
}

nlohmann::json json_of(StepState const& steps) {
  return {{"next_s", steps.next_s},
          {"accepted", steps.accepted},
          {"rejected", steps.rejected},
          {"shortest_s", steps.shortest_s},
          {"longest_s", steps.longest_s}};
}

}  // namespace

std::string to_json(SolverState const& state) {
  nlohmann::json json{{"iteration", state.iteration}, {"time_s", state.time_s}};
  if (state.segment && state.segment->step_s > 0.0) json["time_steps"] = json_of(*state.segment);
  if (state.first_residual) {
    json["first_residual"] = *state.first_residual;
  }
  if (state.reference) {
    json["reference_residual"] = *state.reference;
  }
  if (state.last_residual) json["last_residual"] = json_of(*state.last_residual);
  // Samples for the error estimate, which a resumed run continues.
  for (ChangeSample const& one : state.changes) {
    json["changes"].push_back({one.position, one.size, one.gain, one.slowest});
  }
  // A list instead of an object: the order is that of range_in().
  if (auto const& range = state.range) {
    json["range"] = {range->values.smallest, range->values.largest, range->moved,
                     range->largest_change};
  }
  // A resumed run distrusts its estimates as the earlier one did.
  if (auto const& refuted = state.refuted) {
    json["refuted"] = {{"iteration", refuted->iteration}, {"factor", refuted->factor}};
  }
  if (state.steps) json["divided_steps"] = json_of(*state.steps);
  if (state.hierarchy != HierarchyKind::automatic) json["hierarchy"] = name(state.hierarchy);
  return json.dump();
}

std::string with_stop_point(std::string const& state, StopPoint const& point) {
  auto json = nlohmann::json::parse(state);
  json["stop"] = {{"criterion", point.criterion},
                  {"iteration", point.iteration},
                  {"time_s", point.time_s},
                  {"value", point.value}};
  return json.dump();
}

namespace {

using nlohmann::json;

/// Refuses a damaged state. Files may also be manipulated, so every number is checked before it is
/// used.
[[noreturn]] void refuse(std::string const& what) {
  throw InputError("the solver's state in the file cannot be used: " + what);
}

/// Returns a member, or refuses the state if it is missing.
json const& member(json const& object, char const* key) {
  if (!object.contains(key)) {
    refuse(fmt::format("it has no {}", key));
  }
  return object.at(key);
}

/// Reads an iteration: a whole number from 0 to 2^63 − 1.
std::int64_t iteration_in(json const& object, char const* key = "iteration") {
  json const& value = member(object, key);
  // get<int64_t>() would silently accept real numbers, and integers beyond 2^63.
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > largest) {
    refuse(fmt::format("{} is {} (needs a whole number, 0 or more)", key, one_line(value.dump())));
  }
  return value.get<std::int64_t>();
}

/// Reads a finite number, 0 or more: norms and times.
double number_in(json const& object, char const* key) {
  json const& value = member(object, key);
  double const number = value.is_number() ? value.get<double>() : -1.0;
  if (!std::isfinite(number) || number < 0.0) {
    refuse(fmt::format("{} is {} (needs a finite number, 0 or more)", key, one_line(value.dump())));
  }
  return number;
}

/// Reads a segment of equal time steps.
TimeSegment segment_in(json const& object) {
  if (!object.is_object()) refuse("time_steps is not an object");
  TimeSegment segment;
  segment.first = iteration_in(object, "first");
  segment.begin_s = number_in(object, "begin_s");
  segment.step_s = number_in(object, "step_s");
  // Endless segments have no last step.
  if (object.contains("last")) {
    segment.last = iteration_in(object, "last");
    segment.end_s = number_in(object, "end_s");
  }
  return segment;
}

/// Reads the samples of the error estimate, a list of [position, size, gain, slowest] with
/// rising positions.
std::vector<ChangeSample> changes_in(json const& list) {
  // The solver never keeps more samples than this.
  if (!list.is_array() || list.size() > ErrorEstimate::max_samples) {
    refuse("changes is not a short list");
  }
  std::vector<ChangeSample> changes;
  for (json const& one : list) {
    bool const sound = one.is_array() && (one.size() == 3 || one.size() == 4) &&
                       std::ranges::all_of(one, [](json const& value) {
                         return value.is_number() && std::isfinite(value.get<double>()) &&
                                value.get<double>() >= 0.0;
                       });
    if (!sound) refuse("changes has an entry that is not four finite numbers, 0 or more");
    // Version 0.3.0 wrote three numbers. A ratio of 1 makes the estimate cautious.
    double const slowest = one.size() == 4 ? one[3].get<double>() : 1.0;
    changes.push_back({one[0].get<double>(), one[1].get<double>(), one[2].get<double>(), slowest});
    // The fit of the error estimate relies on rising positions.
    if (changes.size() > 1 && changes.back().position <= changes[changes.size() - 2].position) {
      refuse("the positions of changes do not ascend");
    }
  }
  return changes;
}

/// Reads the range of the field: [minimum, maximum, moved, largest change].
MeasuredRange range_in(json const& list) {
  bool const finite =
      list.is_array() && list.size() == 4 && std::ranges::all_of(list, [](json const& value) {
        return value.is_number() && std::isfinite(value.get<double>());
      });
  if (!finite) refuse("range is not a list of four finite numbers");
  MeasuredRange const range{
      {list[0].get<double>(), list[1].get<double>()}, list[2].get<double>(), list[3].get<double>()};
  if (range.values.smallest > range.values.largest || range.moved < 0.0 ||
      range.largest_change < 0.0) {
    refuse("range is not ascending, or has negative changes");
  }
  return range;
}

/// Reads the last refuted claim.
Refutation refutation_in(json const& object) {
  if (!object.is_object()) refuse("refuted is no object");
  Refutation const refuted{iteration_in(object), number_in(object, "factor")};
  if (refuted.factor < 1.0) refuse("refuted has a factor below 1");
  return refuted;
}

/// Reads the steps that a run with a time_tolerance has taken.
StepState divided_steps_in(json const& object) {
  if (!object.is_object()) refuse("divided_steps is not an object");
  StepState const steps{number_in(object, "next_s"), iteration_in(object, "accepted"),
                        iteration_in(object, "rejected"), number_in(object, "shortest_s"),
                        number_in(object, "longest_s")};
  if (steps.shortest_s > steps.longest_s) refuse("divided_steps has lengths that descend");
  return steps;
}

/// Reads the kind of coarser levels that the run has chosen.
HierarchyKind hierarchy_in(json const& value) {
  for (HierarchyKind const kind : {HierarchyKind::grids, HierarchyKind::aggregates}) {
    if (value.is_string() && value.get<std::string>() == name(kind)) return kind;
  }
  refuse(
      fmt::format("hierarchy is {} (needs \"grids\" or \"aggregates\")", one_line(value.dump())));
}

/// Reads and checks a whole state.
SolverState read_state(json const& object) {
  if (!object.is_object()) {
    refuse("it is not a JSON object");
  }
  SolverState state;
  state.iteration = iteration_in(object);
  if (object.contains("time_s")) {  // missing in files up to version 0.2
    state.time_s = number_in(object, "time_s");
  }
  if (object.contains("time_steps")) {
    state.segment = segment_in(object.at("time_steps"));
  }
  if (object.contains("first_residual")) {
    state.first_residual = number_in(object, "first_residual");
  }
  if (object.contains("reference_residual")) {
    state.reference = number_in(object, "reference_residual");
  }
  if (object.contains("last_residual")) {
    json const& last = object.at("last_residual");
    if (!last.is_object()) {
      refuse("last_residual is not an object");
    }
    state.last_residual =
        Residual{iteration_in(last), number_in(last, "time_s"), number_in(last, "value"), {}};
    if (last.contains("error")) state.last_residual->error = number_in(last, "error");
    if (last.contains("range")) state.last_residual->range = number_in(last, "range");
    // A residual of a later iteration cannot be known.
    if (state.last_residual->iteration > state.iteration) {
      refuse(fmt::format("last_residual belongs to iteration {}, but the state to {}",
                         state.last_residual->iteration, state.iteration));
    }
  }
  if (object.contains("changes")) state.changes = changes_in(object.at("changes"));
  if (object.contains("range")) state.range = range_in(object.at("range"));
  if (object.contains("divided_steps")) state.steps = divided_steps_in(object.at("divided_steps"));
  if (object.contains("hierarchy")) state.hierarchy = hierarchy_in(object.at("hierarchy"));
  if (object.contains("refuted")) state.refuted = refutation_in(object.at("refuted"));
  return state;
}

}  // namespace

SolverState solver_state_from_json(std::string const& text) { return read_state(parse_json(text)); }

/// State and file describe the same field, so their iterations must agree, and the time must be one
/// that the time steps reach.
SolverState solver_state_of(SnapshotFile const& file) {
  SolverState state;
  try {
    state = solver_state_from_json(file.info.state);
  } catch (InputError const& error) {
    throw InputError(file.path.string() + " is damaged: " + error.what());
  }
  if (state.iteration != file.info.iteration) {
    throw InputError(
        fmt::format("{} is damaged: its field belongs to iteration {}, but its state to {}",
                    file.path.string(), file.info.iteration, state.iteration));
  }
  // The time of the file is authoritative; files of older versions have no other.
  state.time_s = file.info.time_s;
  if (!is_sound(state.position())) {
    throw InputError(
        fmt::format("{} is damaged: its time, {}, does not match the time steps in its state",
                    file.path.string(), six_digits(state.time_s)));
  }
  return state;
}

}  // namespace isotherm::app
