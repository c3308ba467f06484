#pragma once

#include <cstdint>

namespace isotherm::app {

/// Numbers of fields that a run has written, failed to write, or skipped. They appear in
/// summary.json and at the end of the log. A resumed run counts from 0 again.
struct OutputCounts {
  std::int64_t written = 0;  ///< files of fields that are complete
  std::int64_t failed = 0;   ///< could not be written, and the run continued
  std::int64_t skipped = 0;  ///< checkpoints skipped, since the previous field was not on disk yet
  double write_s = 0.0;      ///< time of writing, also while the run computed
};

}  // namespace isotherm::app
