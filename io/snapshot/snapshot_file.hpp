#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/hdf5/turn.hpp"
#include "io/snapshot/datasets/stored_values.hpp"
#include "io/snapshot/snapshot_description.hpp"

namespace isotherm {

/// Bytes of values that a rank compresses in one round.
inline constexpr std::size_t default_round_bytes = std::size_t{64} << 20;

/// A snapshot file that all ranks write. The root writes the description, and each rank writes its
/// own values directly to their places in the file. HDF5 itself only runs on the root, in memory.
///
/// Every member is collective. If it fails on any rank, it throws on all ranks, so no rank waits
/// for another one that has failed.
///
///   SnapshotFileWriter file(ranks, temporary_path(path), info, deflate_level);
///   bool const finite = file.write("u", StoredValues<double, double>(subdomain, box, owned));
///   file.close();  // then the root renames the file
class SnapshotFileWriter {
 public:
  /// Creates `path`; a file that was left there is removed.
  /// @param info         only the root's is used
  /// @param round_bytes  see default_round_bytes
  SnapshotFileWriter(mpi::Communicator const& ranks, std::filesystem::path const& path,
                     SnapshotInfo const& info, int deflate_level,
                     std::size_t round_bytes = default_round_bytes);

  /// Writes the values of a field. @return  true if this rank's values are finite
  template <class Stored, class Real>
  bool write(std::string const& field, StoredValues<Stored, Real> const& values);

  /// Writes the description, with the checksums of all values, and syncs the file to the disk.
  /// Before this, no program recognises it as an HDF5 file.
  void close();

  /// Returns this rank's times up to now.
  [[nodiscard]] SnapshotTimes const& times() const { return times_; }

 private:
  /// Writes a field that is not compressed; returns the checksums of this rank's values.
  template <class Stored, class Real>
  ValuesCheck write_plain(std::string const& field, StoredValues<Stored, Real> const& values);
  /// Writes a compressed field, in rounds; returns the checksums of this rank's values.
  template <class Stored, class Real>
  ValuesCheck write_compressed(std::string const& field, StoredValues<Stored, Real> const& values);
  /// Returns the byte offsets of this rank's chunks; the root assigns them.
  /// @param firsts_of  returns the first points of a rank's chunks; called on the root only
  std::vector<std::uint64_t> find_places(
      std::vector<PackedChunk> const& mine,
      std::function<std::vector<Index3>(int rank)> const& firsts_of);
  /// Writes the bytes of the description. Root only.
  void write_description();

  mpi::Communicator const& ranks_;
  std::filesystem::path path_;
  int deflate_level_;
  std::size_t round_bytes_;
  Descriptor file_{};
  std::optional<hdf5::Turn> turn_{};  ///< the root's, while the description exists
  std::unique_ptr<SnapshotDescription> description_{};  ///< only on the root
  SnapshotTimes times_{};
};

}  // namespace isotherm
