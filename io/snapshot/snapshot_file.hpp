#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/snapshot/snapshot_description.hpp"
#include "io/snapshot/stored_values.hpp"

namespace isotherm {

/// Bytes of values that a rank compresses at once.
inline constexpr std::size_t default_round_bytes = std::size_t{32} << 20;

/// A snapshot file that is being written by all ranks: the root describes it, and each rank writes
/// its values to the place that they have in it. Every member is collective and throws on all ranks
/// where it fails on any: no rank waits in a call for another that has failed.
class SnapshotFileWriter {
 public:
  /// Creates `path`, in the place of what may be left there.
  /// @param info         the root's counts
  /// @param round_bytes  see default_round_bytes
  SnapshotFileWriter(mpi::Communicator const& ranks, std::filesystem::path const& path,
                     SnapshotInfo const& info, int deflate_level,
                     std::size_t round_bytes = default_round_bytes);

  template <class Stored, class Real>
  void write(std::string const& field, StoredValues<Stored, Real> const& values);

  /// Writes the description, and makes sure that all of it is on the disk. Before, nobody takes the
  /// file for one of HDF5's.
  void close();

 private:
  template <class Stored, class Real>
  void write_plain(std::string const& field, StoredValues<Stored, Real> const& values);
  template <class Stored, class Real>
  void write_compressed(std::string const& field, StoredValues<Stored, Real> const& values);
  /// Where each of this rank's chunks goes. @param firsts_of  their first points, rank by rank
  std::vector<std::uint64_t> find_places(
      std::vector<PackedChunk> const& mine,
      std::function<std::vector<Index3>(int rank)> const& firsts_of);
  void write_description();

  mpi::Communicator const& ranks_;
  std::filesystem::path path_;
  int deflate_level_;
  std::size_t round_bytes_;
  Descriptor file_{};
  std::unique_ptr<SnapshotDescription> description_{};  ///< the root's
};

}  // namespace isotherm
