#pragma once

#include "io/snapshot/snapshot_info.hpp"

// The mean gradient of stored fields, which the file has in its case only.

namespace isotherm::app {

/// Returns how much a stored field gains over one period of each axis; 0 on axes that are not
/// periodic, and if the case in the file has no mean gradient. Not collective.
/// @throws InputError  if the case has one, but cannot be read, as it needs a file that is missing
PerAxis<double> gains_over_periods(SnapshotInfo const& info);

/// Returns the slopes of the linear part of a field: its gains over the periods of its grid.
PerAxis<double> slopes_of(PerAxis<double> const& gains, Grid const& grid);

}  // namespace isotherm::app
