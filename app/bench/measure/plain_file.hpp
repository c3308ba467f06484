#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A file without structure, to which each rank contributes a contiguous block of bytes: a
/// reference for the speed of a disk. Members are collective; an error on one rank is thrown on
/// all.
///
///     PlainFile const file(ranks, directory / "plain", bytes.size());
///     file.write(bytes);
///     drop_from_memory(directory / "plain");   // on one rank
///     file.read(bytes);
class PlainFile {
 public:
  /// @param bytes  of this rank
  /// Reserves the place of this rank's bytes. The file is not created yet.
  PlainFile(mpi::Communicator const& ranks, std::filesystem::path path, std::size_t bytes);

  /// Creates the file, writes each rank's bytes sequentially in large blocks, and syncs it, as `dd
  /// conv=fsync` does.
  void write(std::span<std::byte const> bytes) const;
  /// Reads the bytes in the same blocks.
  void read(std::span<std::byte> bytes) const;

 private:
  mpi::Communicator const& ranks_;
  std::filesystem::path path_;
  std::uint64_t place_ = 0;  ///< offset of this rank's bytes
};

/// Asks the kernel to drop a file from the page cache. The kernel complies for synced files on
/// disks.
void drop_from_memory(std::filesystem::path const& path);

/// Returns the share of a file that is in the page cache, from 0 to 1.
/// @throws Error  if it cannot be determined
double share_in_memory(std::filesystem::path const& path);

}  // namespace isotherm
