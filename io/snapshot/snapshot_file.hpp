#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/hdf5/turn.hpp"
#include "io/snapshot/snapshot_description.hpp"
#include "io/snapshot/stored_values.hpp"

namespace isotherm {

/// Bytes of values that a rank compresses at once.
inline constexpr std::size_t default_round_bytes = std::size_t{64} << 20;

/// A snapshot file while all ranks write it: the root writes the description, and each rank its own
/// values. Every member is collective, and throws on all ranks if it fails on any, so no rank waits
/// for another that has failed.
class SnapshotFileWriter {
 public:
  /// Creates `path`, in the place of what may be left there.
  /// @param info         the root's counts
  /// @param round_bytes  see default_round_bytes
  SnapshotFileWriter(mpi::Communicator const& ranks, std::filesystem::path const& path,
                     SnapshotInfo const& info, int deflate_level,
                     std::size_t round_bytes = default_round_bytes);

  /// @return  whether this rank's values are finite
  template <class Stored, class Real>
  bool write(std::string const& field, StoredValues<Stored, Real> const& values);

  /// Writes the description, the checksums of all values in it, and syncs the file to the disk.
  /// Until then no program takes it for an HDF5 file.
  void close();

  /// Of this rank, so far.
  [[nodiscard]] SnapshotTimes const& times() const { return times_; }

 private:
  template <class Stored, class Real>
  ValuesCheck write_plain(std::string const& field, StoredValues<Stored, Real> const& values);
  template <class Stored, class Real>
  ValuesCheck write_compressed(std::string const& field, StoredValues<Stored, Real> const& values);
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
  std::optional<hdf5::Turn> turn_{};                    ///< the root's, as long as that is there
  std::unique_ptr<SnapshotDescription> description_{};  ///< the root's
  SnapshotTimes times_{};
};

}  // namespace isotherm
