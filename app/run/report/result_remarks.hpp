#pragma once

#include <string>
#include <vector>

#include "app/run/report/summary.hpp"
#include "case/case.hpp"

namespace isotherm::app {

/// Returns the warnings about a result, one line each: a stopping criterion that was never
/// satisfied, expressions that may have kept the run from converging, and values that the maximum
/// principle excludes.
std::vector<std::string> result_remarks(Case const& chosen, Summary const& summary);

/// Returns a remark on the expressions of a case that jump as functions of u, within ten times the
/// magnitude of the given values, with which Newton's method may not converge. Empty if there are
/// none. Serial.
std::string remark_on_jumps(Problem const& problem);

}  // namespace isotherm::app
