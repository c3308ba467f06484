#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/snapshot/checks/block_grid.hpp"
#include "io/snapshot/snapshot.hpp"

/// Checksums that a file keeps of its own contents: one for each block of values, and one for the
/// description.

namespace isotherm {

/// The checksums of a file's blocks, for all of its fields. A damaged value changes the checksum of
/// its block, so verification can name the points.
struct BlockChecksums {
  BlockGrid grid;
  std::map<std::string, std::vector<std::uint64_t>> of_field{};  ///< by field name

  /// Returns the checksum of all values of a field: the sum over its blocks, modulo 2^64. @pre the
  /// field has checksums
  [[nodiscard]] std::uint64_t of_all(std::string const& field) const;
};

/// Returns true if a file has block checksums; files of isotherm 0.1 do not. @param own  the group
/// /isotherm
bool has_block_checksums(hid_t own);

/// Reads the block checksums of all fields. Allocates no more memory than the bytes of the file
/// justify.
/// @throws Error  if they are not those of a file with these points
BlockChecksums read_block_checksums(hid_t own, Extent3 points, std::uint64_t file_bytes);

/// Returns the CRC-32 of everything in a file that isotherm interprets, except the values. It
/// covers the contents of `info` and the checksums of the blocks; docs/reference/formats.md defines
/// the order.
std::uint32_t description_checksum(SnapshotInfo const& info, BlockChecksums const& blocks);

}  // namespace isotherm
