#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A file without any structure, in which the ranks' bytes lie one rank's after the other's: what a
/// disk does with so many bytes where nobody asks for more. Members are collective, and throw on
/// all ranks if they fail on any.
class PlainFile {
 public:
  /// @param bytes  of this rank
  PlainFile(mpi::Communicator const& ranks, std::filesystem::path path, std::size_t bytes);

  /// Creates the file, writes large blocks, one after the other on each rank, and syncs it to the
  /// disk, as `dd conv=fsync` does.
  void write(std::span<std::byte const> bytes) const;
  /// Reads the bytes again, in such blocks.
  void read(std::span<std::byte> bytes) const;

 private:
  mpi::Communicator const& ranks_;
  std::filesystem::path path_;
  std::uint64_t place_ = 0;  ///< of this rank's bytes
};

/// Asks the system to forget what it keeps of a file in memory, which it does of files that are on
/// a disk and synced.
void drop_from_memory(std::filesystem::path const& path);

/// The share of a file that is read from memory, 0 … 1. @throws Error
double share_in_memory(std::filesystem::path const& path);

}  // namespace isotherm
