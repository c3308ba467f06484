#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/bench/measure/bench_timing.hpp"

namespace isotherm {

/// The time that a multigrid cycle spends on one level, or on the field itself: evaluating the
/// residual and adding the correction.
struct LevelRow {
  std::string part;  ///< "field", or the number of the level; 1 is the finest
  Extent3 points{};
  double seconds = 0.0;
  double share = 0.0;  ///< of the time of the cycle, 0 … 1
  /// The minimum memory traffic at the copy rate, relative to the time.
  double share_of_copy = 0.0;
};

/// Measures single cycles after two that warm up, and returns the levels of the cycle with the
/// median time. The first row is the field. Times are those of this rank. Collective.
/// @param method  settings of multigrid; tolerance and number of iterations are replaced
/// @param repeat  number of timed cycles, at least 1
std::vector<LevelRow> measure_levels(mpi::Communicator const& ranks, Problem const& problem,
                                     MethodSettings method, Execution const& execution, int repeat);

/// Formats the rows as a table, with the total of a cycle in the last line.
std::string level_table(std::vector<LevelRow> const& rows, Precision precision);
/// Returns the rows as a JSON object: the precision, the time of the cycle in milliseconds ("ms"),
/// and a list "parts" with an object for each row.
nlohmann::ordered_json levels_json(std::vector<LevelRow> const& rows, Precision precision);

}  // namespace isotherm
