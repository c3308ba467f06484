#pragma once

#include <cstdint>
#include <vector>

#include "case/case.hpp"

namespace isotherm::app {

/// Files in the output directory that a run will remove or replace.
struct OldFiles {
  /// A stored field of the earlier run.
  struct Field {
    std::int64_t iteration;
    double bytes;  ///< that the disk gains if the file is removed
    bool is_checkpoint;
  };
  double removed_bytes = 0.0;   ///< of files that are removed before anything is written
  std::vector<Field> fields{};  ///< found by a resumed run, oldest first
};

/// Upper bounds of what a run will write: fields, in bytes of values and coordinates before
/// compression, and pictures.
struct OutputSizes {
  double file_bytes = 0.0;      ///< one file with the whole field: final field or checkpoint
  double snapshot_bytes = 0.0;  ///< one snapshot
  std::int64_t snapshots = 0;   ///< snapshots still to be written
  /// Files that exist together: final field, checkpoints kept, one being written.
  std::int64_t whole_files = 0;
  /// Of the final field, during the run, and of a diffusion's first field.
  std::int64_t pictures = 0;
  double picture_bytes = 0.0;  ///< maximum of one picture
  double total_bytes = 0.0;    ///< sum of all of them
  double free_bytes = 0.0;     ///< on the disk of the output, including freed_bytes
  double freed_bytes = 0.0;    ///< of old files that the run will remove
  /// Of default checkpoints, which total_bytes does not include; 0 if there are none.
  double checkpoint_bytes = 0.0;
  /// Returns true if the disk has room for everything.
  [[nodiscard]] bool fits() const { return total_bytes <= free_bytes; }
};

/// Computes the space that a run needs and the space that it has.
///
/// A run that fits when it starts also fits on the same disk when it is resumed. Old checkpoints
/// that `keep` removes are regarded as free space if they are removed before the disk is fullest. A
/// new file is always written before an old one is removed. Serial; sizes of tables, the log and
/// the summary are neglected.
/// @param from  iteration at which the run starts
/// @param old   files of an earlier run in the output directory; see old_files()
OutputSizes output_sizes(Case const& chosen, std::int64_t from, OldFiles const& old);

}  // namespace isotherm::app
