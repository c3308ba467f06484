#pragma once

#include <string>
#include <vector>

#include "app/run/report/summary.hpp"
#include "case/case.hpp"

namespace isotherm::app {

/// Returns the warnings about a result, one line each: a stopping criterion that was never
/// satisfied, values that the maximum principle excludes, and values beyond the tables of
/// coefficients.
std::vector<std::string> result_remarks(Case const& chosen, Summary const& summary);

}  // namespace isotherm::app
