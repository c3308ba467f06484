#pragma once

#include <cstdint>
#include <filesystem>

#include "jobs/case.hpp"

namespace isotherm {

/// What a run will write at most, in bytes of values before compression.
struct OutputSizes {
  double file_bytes = 0.0;       ///< one file with the whole field: final field, checkpoint
  double snapshot_bytes = 0.0;   ///< one snapshot
  std::int64_t snapshots = 0;    ///< still to be written
  std::int64_t whole_files = 0;  ///< final field, checkpoints kept, one being written
  double total_bytes = 0.0;
  double free_bytes = 0.0;  ///< where the output goes; what --overwrite removes included
  [[nodiscard]] bool fits() const { return total_bytes <= free_bytes; }
};

/// @param from         iteration at which the run starts
/// @param to_be_freed  bytes of old results that will be removed first
OutputSizes output_sizes(Case const& chosen, std::int64_t from, double to_be_freed);

/// The points of [output] cut: lower <= coordinate <= upper, to within a billionth of a spacing.
/// @throws InputError  where there is none
GlobalBox cut_box(Grid const& grid, std::array<std::array<double, 3>, 2> const& cut);

}  // namespace isotherm
