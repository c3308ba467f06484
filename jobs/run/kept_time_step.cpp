#include "jobs/run/kept_time_step.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "jobs/basics/json_text.hpp"
#include "jobs/case/case_section.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {

namespace {

using Overrides = std::vector<std::string>;

constexpr double rounding = 1e-9;  // of a number of steps

/// An end shortens a step by less than a half, unless it is the only one.
bool may_be_shortened(Case const& chosen, double step) {
  auto const method = CaseSection::of(parse_toml(chosen.text, "case.toml"), "method", "case.toml");
  if (!method.has("end_time")) return false;
  if (!method.has("time_step") || !method.is_number("time_step")) return true;
  double const written = method.positive("time_step");
  return step > 0.5 * written && step <= written * (1.0 + rounding);
}

bool fits(Case const& chosen, Overrides const& overrides, std::string const& fingerprint) {
  Case const changed = parse_case(chosen.text, "case.toml", overrides);
  return fingerprint_differences(changed.fingerprint, fingerprint).empty();
}

/// The time step in a file whose fingerprint agrees in all else.
std::optional<double> other_time_step(Case const& chosen, std::string const& fingerprint) {
  if (time_step_to_go_on(chosen, fingerprint).empty()) return std::nullopt;
  return parse_json(fingerprint).at("method.time_step").get<double>();
}

}  // namespace

std::optional<KeptTimeStep> kept_time_step(Case const& chosen, std::string const& fingerprint) {
  auto const step = other_time_step(chosen, fingerprint);
  if (!step || !may_be_shortened(chosen, *step)) return std::nullopt;
  auto const method = CaseSection::of(parse_toml(chosen.text, "case.toml"), "method", "case.toml");
  double const end = method.positive("end_time");
  double const steps = std::ceil(end / *step * (1.0 - rounding));
  std::string const count = fmt::format("{:.0f}", steps);
  Overrides overrides{"method.time_step=" + shortest(*step)};
  if (!fits(chosen, overrides, fingerprint)) {
    overrides.push_back("method.steps=" + count);
    if (!fits(chosen, overrides, fingerprint)) return std::nullopt;
  }
  double const reached = steps * *step;
  bool const exact = std::abs(reached - end) <= rounding * end;
  return KeptTimeStep{overrides,
                      fmt::format("{} is kept; {} steps end at t = {}{}", shortest(*step), count,
                                  shortest(exact ? end : reached),
                                  exact ? "" : ", the first end of a step after " + shortest(end))};
}

}  // namespace isotherm
