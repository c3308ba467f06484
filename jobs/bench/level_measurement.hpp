#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "jobs/bench/bench_timing.hpp"

namespace isotherm {

/// What a cycle spends on one of its grids, or, outside them, on the field: adding the correction,
/// and evaluating the residual.
struct LevelRow {
  std::string part;  ///< "field", or the level's number, 1 the finest
  Extent3 points{};
  double seconds = 0.0;
  double share = 0.0;          ///< of the cycle
  double share_of_copy = 0.0;  ///< of the bytes that are moved at least, at the rate of copies
};

/// Times single cycles, after two that warm up, and splits the one that takes the median: the
/// field's row comes first. On this rank. Collective.
std::vector<LevelRow> measure_levels(mpi::Communicator const& ranks, Problem const& problem,
                                     MethodSettings method, Execution const& execution, int repeat);

/// A table of them, ended by what the cycle takes.
std::string level_table(std::vector<LevelRow> const& rows, Precision precision);
nlohmann::ordered_json levels_json(std::vector<LevelRow> const& rows, Precision precision);

}  // namespace isotherm
