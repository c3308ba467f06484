#pragma once

#include <cstdint>
#include <filesystem>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A new directory in one that is there, for files that nobody shall keep: removed with all that is
/// in it when this object goes, also where something failed. So no file of anybody is touched.
class BenchDirectory {
 public:
  /// Collective. @throws Error
  BenchDirectory(mpi::Communicator const& ranks, std::filesystem::path const& parent);
  ~BenchDirectory();
  BenchDirectory(BenchDirectory const&) = delete;
  BenchDirectory& operator=(BenchDirectory const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  mpi::Communicator const& ranks_;
  std::filesystem::path path_;
};

/// Makes sure that a file of `bytes` bytes can be made in a directory. Collective.
/// @param option  which names the directory, for messages
/// @throws InputError  on every rank: there is no such directory, nobody may write there, or it has
///                     too little space
void check_room(mpi::Communicator const& ranks, std::string const& option,
                std::filesystem::path const& directory, double bytes);

/// True of a directory whose files take memory, since there is no disk behind it.
bool is_memory(std::filesystem::path const& directory);

}  // namespace isotherm
