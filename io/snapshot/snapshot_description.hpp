#pragma once

#include <string>

#include "io/hdf5/chunk_codec.hpp"
#include "io/hdf5/file_image.hpp"
#include "io/snapshot/checks/block_checksums.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {

/// The metadata of a snapshot file, built in memory: all of the file except the values. It also
/// assigns the place of the values in the file. Serial. docs/reference/formats.md describes the
/// layout. All members throw Error if HDF5 fails.
///
/// HDF5 writes to a FileImage, not to the disk. The ranks write the values themselves to the places
/// that add_field() and place_chunk() return.
///
///   SnapshotDescription description(info);
///   std::uint64_t const place = description.add_field<double>("u", points);
///   // … all ranks write the values from the byte `place` on …
///   description.set_checksums("u", sums);
///   description.close();  // now image() is complete
class SnapshotDescription {
 public:
  /// Creates the groups, attributes and axes that are known before the values.
  explicit SnapshotDescription(SnapshotInfo const& info);

  /// Adds an uncompressed field, whose values are dense, x fastest.
  /// @param components  3 for the fields that the info lists as vectors
  /// @return  the byte offset of the first value in the file
  template <class Stored>
  std::uint64_t add_field(std::string const& name, Extent3 points,
                          int components = scalar_components);

  /// Adds a compressed field. Its chunks get their places later, from place_chunk().
  template <class Stored>
  void add_compressed_field(std::string const& name, Extent3 points, int deflate_level,
                            int components = scalar_components);
  /// Assigns a place to a chunk of the field that was added last.
  /// @param first  the index of the chunk's first number
  /// @param bytes  length of the packed chunk
  /// @param filters_left_out  the bits of the filters (ChunkFilter) that were not applied to it
  /// @return  the byte offset of the chunk in the file
  std::uint64_t place_chunk(Index3 first, std::size_t bytes, std::uint32_t filters_left_out);

  /// Sets the checksums of a field's blocks, when its values are known.
  void set_checksums(std::string const& field, std::vector<std::uint64_t> sums);

  /// Returns an upper bound on the length of the file, including the bytes that close() adds, if no
  /// further field is added.
  [[nodiscard]] std::uint64_t max_bytes() const;

  /// Completes the description, and with it the file image. Nothing can be added afterwards. The
  /// checksum in the info is ignored.
  /// @pre  every field has its checksums
  void close();
  /// Returns the bytes of the file except the values.
  [[nodiscard]] hdf5::FileImage const& image() const { return image_; }

 private:
  /// Creates /VTKHDF, which describes the grid to VTK.
  void add_vtk_group(Grid const& grid);
  /// Creates /isotherm, with everything that is known before the values.
  void add_own_group();
  /// Writes the coordinates of graded axes to /isotherm.
  void add_coordinates(Grid const& grid);
  /// Creates the table of a field's block checksums, still without values.
  void add_block_checksums(std::string const& field, Extent3 points);
  /// Fills these tables, and writes the checksums of all values and of the description.
  void write_checksums();
  /// Links the fields with their axes. @pre  all chunks have their places
  void attach_axes();
  template <class Stored>
  hdf5::Dataset create_dataset(std::string const& name, Extent3 points, int components,
                               hdf5::PropertyList const& creation);

  SnapshotInfo info_;
  BlockChecksums sums_;
  hdf5::QuietErrors quiet_;  // HDF5 prints no errors of its own
  hdf5::FileImage image_;
  hdf5::Group own_;           // /isotherm
  hdf5::Group blocks_;        // /isotherm/block_checksums
  hdf5::Group values_;        // /VTKHDF/PointData or /VTKHDF/CellData
  hdf5::Dataset compressed_;  // the compressed field that was added last
  int compressed_components_ = scalar_components;
};

}  // namespace isotherm
