#include "app/run/resume/resumed_method.hpp"

#include <nlohmann/json.hpp>

#include "case/basics/text/json_text.hpp"
#include "kernels/core/error.hpp"
#include "solver/methods.hpp"

namespace isotherm::app {

namespace {

/// Returns the name of the method in a fingerprint; empty if it has none that the case's equation
/// allows.
std::string method_in(Case const& chosen, std::string const& fingerprint) {
  auto const keys = parse_json(fingerprint);
  if (!keys.is_object() || !keys.contains("method.name") || !keys.at("method.name").is_string()) {
    return "";
  }
  auto name = keys.at("method.name").get<std::string>();
  for (Method const& method : methods()) {
    if (method.name == name && solves(method, chosen.problem.equation)) return name;
  }
  return "";
}

}  // namespace

std::optional<ResumedMethod> resumed_method(Case const& chosen, std::string const& fingerprint) {
  if (chosen.said.contains("method.name")) return std::nullopt;
  std::string const name = method_in(chosen, fingerprint);
  if (name.empty() || name == chosen.method.name) return std::nullopt;
  std::string const assignment = "method.name=" + name;
  try {
    // The override must lead to exactly the file's fingerprint.
    Case const changed = parse_case_like(chosen, chosen.text, "case.toml", {assignment});
    if (!fingerprint_differences(changed.fingerprint, fingerprint).empty()) return std::nullopt;
  } catch (InputError const&) {  // the method does not allow a key of the case
    return std::nullopt;
  }
  return ResumedMethod{assignment, name + ", kept from the file"};
}

}  // namespace isotherm::app
