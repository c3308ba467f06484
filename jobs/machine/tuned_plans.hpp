#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/sweep/plan_table.hpp"

namespace isotherm {

/// The fastest plan for one sort of sweep on one grid.
struct TunedGrid {
  PlanRow sort{};  ///< what the row shall fit, but for its points and its plan
  Extent3 grid{};
  std::int64_t points = 0;  ///< of the smallest rank
  std::string plan{};
  double points_per_second = 0.0;
};

/// A row of a plan table, and what was measured for it, in words.
struct TunedRow {
  PlanRow row{};
  std::string comment{};
};

/// Rows of which the first that fits is right: the largest grids of a sort come first, neighbours
/// with the same plan share a row, and grids between two measured ones go with the nearer one (by
/// the logarithm of their points).
/// @param measured  grids of the same sort in a row, the smallest first
std::vector<TunedRow> tuned_rows(std::vector<TunedGrid> const& measured);

/// The grids on which plans are measured, the smallest first.
/// @param quick    a few of them
/// @param largest  points per axis at most, and at least one grid; 0: no limit
std::vector<Extent3> tuning_grids(Backend backend, int dimension, bool quick, std::int64_t largest);

}  // namespace isotherm
