#include "solver/problem/settings.hpp"

#include <cmath>

#include "kernels/core/text.hpp"

namespace isotherm {

std::string name(HierarchyKind kind) {
  return kind == HierarchyKind::automatic ? "auto"
         : kind == HierarchyKind::grids   ? "grids"
                                          : "aggregates";
}

namespace {

/// Checks a number of iterations.
void check_count(char const* key, std::int64_t count) {
  if (count < 0 || count > max_iterations) {
    throw SettingError(key, "is " + std::to_string(count) + " (needs 0 to " +
                                std::to_string(max_iterations) + ", which is 2^52)");
  }
}

/// Checks a number of smoothing sweeps.
void check_sweeps(char const* key, int sweeps) {
  if (sweeps >= 1 && sweeps <= MultigridSettings::max_sweeps) return;
  throw SettingError(key, "is " + std::to_string(sweeps) + " (needs 1 to " +
                              std::to_string(MultigridSettings::max_sweeps) + " sweeps)");
}

}  // namespace

bool has_tolerance(MethodSettings const& method) {
  return method.tolerance > 0.0 || method.absolute_tolerance > 0.0;
}

void check_settings(MethodSettings const& method) {
  check_count("iterations", method.iterations);
  check_count("check_every", method.check_every);
  check_sweeps("pre", method.multigrid.pre);
  check_sweeps("post", method.multigrid.post);
  if (!(method.tolerance >= 0.0 && method.tolerance < 1.0)) {
    throw SettingError("tolerance",
                       "is " + shortest(method.tolerance) + " (needs a number between 0 and 1)");
  }
  if (!(method.step_tolerance > 0.0 && method.step_tolerance < 1.0)) {
    throw SettingError("step_tolerance", "is " + shortest(method.step_tolerance) +
                                             " (needs a number between 0 and 1)");
  }
  if (!(method.absolute_tolerance >= 0.0 && std::isfinite(method.absolute_tolerance))) {
    throw SettingError("absolute_tolerance", "is " + shortest(method.absolute_tolerance) +
                                                 " (needs a number that is not negative)");
  }
  if (has_tolerance(method) && method.check_every == 0) {
    throw SettingError("check_every", "is 0, so the tolerance is never checked (needs at least 1)");
  }
}

}  // namespace isotherm
