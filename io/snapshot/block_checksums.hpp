#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/snapshot/block_grid.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {

/// The checksums of a file's blocks.
struct BlockChecksums {
  BlockGrid grid;
  std::map<std::string, std::vector<std::uint64_t>> of_field{};  ///< by the fields' names

  /// The checksum of all values of a field that is there.
  [[nodiscard]] std::uint64_t of_all(std::string const& field) const;
};

/// Whether a file has them; those of isotherm 0.1 do not. @param own  the group /isotherm
bool has_block_checksums(hid_t own);

/// Reads them. No more memory is asked for than the file has bytes.
/// @throws Error  where they are not what a file of these points has
BlockChecksums read_block_checksums(hid_t own, Extent3 points, std::uint64_t file_bytes);

/// The CRC-32 of everything that isotherm interprets in a file but the values: what `info` holds,
/// and the checksums of the blocks (docs/formats.md says in which order).
std::uint32_t description_checksum(SnapshotInfo const& info, BlockChecksums const& blocks);

}  // namespace isotherm
