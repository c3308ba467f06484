#pragma once

#include <cstdint>

namespace isotherm {

/// What has become of the fields that a run was to write.
struct OutputCounts {
  std::int64_t written = 0;
  std::int64_t failed = 0;   ///< could not be written; the run went on
  std::int64_t skipped = 0;  ///< checkpoints left out, as the field before was not on disk yet
  double write_s = 0.0;      ///< writing them, also while the run went on
};

}  // namespace isotherm
