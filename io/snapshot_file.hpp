#pragma once

#include <filesystem>

#include "io/hdf5.hpp"
#include "io/snapshot.hpp"
#include "io/stored_values.hpp"

namespace isotherm {

/// Bytes that a rank hands to HDF5 in one collective call.
inline constexpr std::size_t default_call_bytes = std::size_t{256} << 20;

/// A snapshot file that is being written by all ranks. Every member is collective and throws on all
/// ranks where it fails on any.
class SnapshotFileWriter {
 public:
  /// Creates `path` with everything but the values.
  /// @param call_bytes  see plan_write
  SnapshotFileWriter(mpi::Communicator const& ranks, std::filesystem::path const& path,
                     SnapshotInfo const& info, int deflate_level,
                     std::size_t call_bytes = default_call_bytes);

  template <class Stored, class Real>
  void write(std::string const& field, StoredValues<Stored, Real> const& values);

  /// Makes sure that all of it has been handed to the operating system.
  void close();

 private:
  /// Makes room for so many chunks more; the root's.
  void reserve(std::int64_t chunks, std::size_t chunk_bytes);
  void write_vtk_group(Grid const& grid);
  void write_own_group(SnapshotInfo const& info);
  void write_text(hid_t parent, char const* name, std::string const& text);
  template <class Stored>
  hdf5::Dataset create_dataset(std::string const& field, Extent3 points);
  template <class Stored>
  void write_piece(hdf5::Dataset const& dataset, GlobalBox piece, Stored const* values);

  mpi::Communicator const& ranks_;
  std::filesystem::path path_;
  int deflate_level_;
  std::size_t call_bytes_;
  hdf5::QuietErrors quiet_;
  hdf5::PropertyList collective_;
  hdf5::File file_;
  hdf5::Group values_;
};

}  // namespace isotherm
