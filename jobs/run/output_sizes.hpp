#pragma once

#include <cstdint>
#include <vector>

#include "jobs/case/case.hpp"

namespace isotherm {

/// Files in the output directory that a run will remove or replace.
struct OldFiles {
  struct Field {
    std::int64_t iteration;
    double bytes;
    bool is_checkpoint;
  };
  double removed_bytes = 0.0;   ///< in those that are removed before anything is written
  std::vector<Field> fields{};  ///< that a resumed run finds, oldest first
};

/// What a run will write at most: fields, in bytes of values and coordinates before compression,
/// and pictures.
struct OutputSizes {
  double file_bytes = 0.0;       ///< one file with the whole field: final field, checkpoint
  double snapshot_bytes = 0.0;   ///< one snapshot
  std::int64_t snapshots = 0;    ///< still to be written
  std::int64_t whole_files = 0;  ///< final field, checkpoints kept, one being written
  std::int64_t pictures = 0;   ///< of the final field, on the way, and, for diffusion, of the first
  double picture_bytes = 0.0;  ///< one picture, at most
  double total_bytes = 0.0;
  double free_bytes = 0.0;   ///< where the output goes; what the run will remove included
  double freed_bytes = 0.0;  ///< of these, what it will remove
  [[nodiscard]] bool fits() const { return total_bytes <= free_bytes; }
};

/// A run that fits when it starts also fits on the same disk when it is resumed: checkpoints that
/// `keep` removes as new ones come count as free, as far as they are gone when the disk is fullest.
/// A new file is always written before an old one is removed.
/// @param from  iteration at which the run starts
OutputSizes output_sizes(Case const& chosen, std::int64_t from, OldFiles const& old);

}  // namespace isotherm
