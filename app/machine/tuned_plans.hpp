#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/sweep/plan_table.hpp"

namespace isotherm::app {

/// The fastest plan for one kind of sweep on one grid, as measured.
struct TunedGrid {
  PlanRow kind{};  ///< the kind of sweep; its points and plan are not set
  Extent3 grid{};
  std::int64_t points = 0;  ///< of the smallest rank's part
  std::string plan{};
  double points_per_second = 0.0;
};

/// A row of a plan table, and a description of the measurements that it is derived from.
struct TunedRow {
  PlanRow row{};
  std::string comment{};
};

/// Derives the rows of a plan table from measurements.
///
/// A run uses the first row that fits, so the largest grids of a kind come first. Neighbouring
/// grids with the same plan share a row. A grid between two measured ones gets the plan of the
/// nearer one on a logarithmic scale: the boundary is the geometric mean of their points.
///
///   for (TunedRow const& row : tuned_rows(measured)) file += to_toml(row.row, row.comment);
/// @param measured  grids of one kind are consecutive, the smallest first
/// @returns  rows in order of priority within a kind; kinds in the order of `measured`
std::vector<TunedRow> tuned_rows(std::vector<TunedGrid> const& measured);

/// Returns the grids on which plans are measured, the smallest first.
/// @param dimension  2 or 3; all axes have the same number of points
/// @param quick    only a few of them
/// @param largest  maximum points along an axis, if at least one grid remains; 0: no limit
std::vector<Extent3> tuning_grids(Backend backend, int dimension, bool quick, std::int64_t largest);

}  // namespace isotherm::app
