#include "app/post/mean_gradient.hpp"

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "app/post/fields/derivation.hpp"
#include "case/read_case.hpp"
#include "kernels/core/error.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm::app {

namespace {

/// Returns true if a case may give a mean gradient: it has the key, not only the field of that
/// name.
bool may_have_gradient(std::string const& case_text) {
  static std::regex const key(R"(\bgradient"?\s*=)");
  return std::regex_search(case_text, key);
}

/// Returns the gains that the case of a file states. @throws InputError  if it cannot be read
PerAxis<double> gains_of_case(std::string const& case_text) try {
  Case const chosen = parse_case_file(case_text, "case.toml", std::vector<std::string>{});
  return isotherm::gains_over_periods(chosen.problem);
} catch (InputError const& fault) {
  throw InputError(
      "the field has a mean gradient, but the case in its file cannot be read, so its jump at the "
      "ends of periodic axes is not known: " +
      std::string(fault.what()));
}

}  // namespace

PerAxis<double> gains_over_periods(SnapshotInfo const& info) {
  if (!may_have_gradient(info.case_text)) return {};
  std::optional<PerAxis<double>> const derived = derivation_of(info.state).gains;
  PerAxis<double> gains = derived ? *derived : gains_of_case(info.case_text);
  for (int axis = 0; axis < 3; ++axis) {
    if (!info.grid.periodic[axis]) gains[axis] = 0.0;
  }
  return gains;
}

PerAxis<double> slopes_of(PerAxis<double> const& gains, Grid const& grid) {
  PerAxis<double> slopes;
  for (int axis = 0; axis < 3; ++axis) {
    if (gains[axis] == 0.0) continue;
    slopes[axis] = gains[axis] / (grid.upper(axis) - grid.lower[axis]);
  }
  return slopes;
}

}  // namespace isotherm::app
