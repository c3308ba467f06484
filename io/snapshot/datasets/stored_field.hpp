#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/stored_bytes.hpp"
#include "io/snapshot/checks/checksum.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "io/snapshot/snapshot.hpp"

/// Reading the values of isotherm's own files, with verification by checksums.

namespace isotherm {

/// How a field's values are stored, known before any of them is read.
struct FieldStorage {
  Precision type = Precision::float64;
  std::uint64_t bytes = 0;             ///< of all values, uncompressed
  std::vector<ChunkFilter> filters{};  ///< empty if there are no chunks
  bool has_chunks = false;
  std::uint64_t min_stored_bytes = 0;  ///< minimum number of bytes of the values in the file
};

/// Checks that a dataset holds the values of `grid`: their number and exact type. Chunks may have
/// any extent, and may have passed any filters of ChunkFilter.
/// @param components  numbers at each point
/// @throws Error, hdf5::UnknownFilter
FieldStorage check_field(hdf5::Dataset const& dataset, Grid const& grid,
                         int components = scalar_components);

/// The values of a field in one of isotherm's files, opened for reading in boxes. All values of
/// such files are read here. Serial.
///
///   StoredField const field(path, info);
///   field.require_all();
///   SharedCheck found(field.blocks());
///   field.read_checked(box, values, found);  // for boxes that together are all points
///   field.require_written(found.all());      // throws if a block is damaged
class StoredField {
 public:
  /// @param info  as read_snapshot_info() returned it
  /// @throws InputError  if the values are missing, stored outside the file, or of another type or
  ///                     shape
  StoredField(std::filesystem::path const& path, SnapshotInfo const& info)
      : StoredField(path, info, info.field) {}
  /// Opens another field of the same file.
  StoredField(std::filesystem::path const& path, SnapshotInfo const& info,
              std::string const& field);

  /// Checks that the file contains at least as many bytes as the values need. Otherwise a small
  /// file could claim more values than can be read in any reasonable time. The cost is proportional
  /// to the number of chunks.
  /// @throws InputError
  void require_all() const;

  /// Returns the numbers at each point. Boxes count numbers, and must contain all numbers of their
  /// points (components.hpp).
  [[nodiscard]] int components() const { return components_; }

  /// Reads a box of values, dense, x fastest, converted to Real.
  /// @throws InputError  if they are damaged
  template <class Real>
  void read(GlobalBox box, Real* values) const;

  /// Like read(), and adds the values to `found`. Uses all threads. If the values are contiguous
  /// and need no conversion, each thread checks its values while they are in its cache.
  template <class Real>
  void read_checked(GlobalBox box, Real* values, SharedCheck& found) const;

  /// Returns the name of the field.
  [[nodiscard]] std::string const& name() const { return name_; }
  /// Returns the blocks that have a checksum each. The SharedCheck for read_checked() must use
  /// them.
  [[nodiscard]] BlockGrid const& blocks() const { return blocks_; }

  /// Compares the checksums of all values, each read once, with those in the file.
  /// @throws InputError  if they differ; names the damaged blocks
  void require_written(ValuesCheck const& found) const;

 private:
  /// Returns the offset of the first value, if the values can be read without HDF5: contiguous
  /// numbers of type Real.
  template <class Real>
  [[nodiscard]] std::optional<std::uint64_t> plain_place() const;
  /// Reads and checks contiguous values by system calls, on all threads.
  template <class Real>
  void read_plain(std::uint64_t place, GlobalBox box, Real* values, SharedCheck& found) const;
  /// Reads the checksums that the values must have.
  void read_checksums(SnapshotInfo const& info);

  std::filesystem::path path_;
  std::string name_;
  std::string in_values_;  ///< part of the file, for messages
  hdf5::File file_{};
  hdf5::Dataset dataset_{};
  FieldStorage storage_{};
  int components_;
  Grid grid_{};
  Extent3 points_{};  ///< extent in numbers
  BlockGrid blocks_;
  std::vector<std::uint64_t> checksums_{};   ///< of the blocks; empty for an older file
  std::optional<std::uint64_t> checksum_{};  ///< of all values, if the file has it
};

}  // namespace isotherm
