#include "app/run/resume/resumed_time_step.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "case/basics/text/json_text.hpp"
#include "case/sections/constants.hpp"
#include "case/sections/parts.hpp"
#include "case/sections/section.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm::app {

namespace {

constexpr double rounding = 1e-9;  // relative, of a time step

/// Returns true if `step` may be the case's time step, shortened to meet the end time. Rounding the
/// number of steps up shortens a step by less than half, unless it is the only one.
bool may_be_shortened(Case const& chosen, double step) {
  // The case's text keeps the step as the user wrote it, while chosen.method has the resolved one.
  TomlTable const document = parse_toml(chosen.text, "case.toml");
  TomlTable const root = with_numbers(document, case_keys(), read_constants(document));
  auto const method = CaseSection::of(root, "method", "case.toml");
  if (!method.has("end_time")) return false;
  // The program computes the step of values such as "stable", so any step is possible.
  if (!method.has("time_step") || !method.is_number("time_step")) return true;
  double const written = method.positive("time_step");
  return step > 0.5 * written && step <= written * (1.0 + rounding);
}

/// Returns the file's time step if the fingerprints agree in everything else.
std::optional<double> other_time_step(Case const& chosen, std::string const& fingerprint) {
  if (time_step_to_resume(chosen, fingerprint).empty()) return std::nullopt;
  return parse_json(fingerprint).at("method.time_step").get<double>();
}

}  // namespace

std::optional<ResumedTimeStep> resumed_time_step(Case const& chosen,
                                                 std::string const& fingerprint) {
  auto const step = other_time_step(chosen, fingerprint);
  if (!step || !may_be_shortened(chosen, *step)) return std::nullopt;
  std::string const assignment = "method.time_step=" + shortest(*step);
  // The override must lead to exactly the file's fingerprint.
  Case const changed = parse_case_like(chosen, chosen.text, "case.toml", {assignment});
  if (!fingerprint_differences(changed.fingerprint, fingerprint).empty()) return std::nullopt;
  return ResumedTimeStep{assignment, shortest(*step) + ", kept from the file"};
}

}  // namespace isotherm::app
