#pragma once

#include <string>

#include "io/hdf5/chunk_codec.hpp"
#include "io/hdf5/file_image.hpp"
#include "io/snapshot/block_checksums.hpp"
#include "io/snapshot/components.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {

/// All of a snapshot file but the values, which get their places here. Serial; layout:
/// docs/formats.md. @throws Error
class SnapshotDescription {
 public:
  explicit SnapshotDescription(SnapshotInfo const& info);

  /// Adds a field of `points` whose values lie dense, x fastest. @return where
  /// @param components  3 of those that the info calls vectors
  template <class Stored>
  std::uint64_t add_field(std::string const& name, Extent3 points,
                          int components = scalar_components);

  /// Adds a field that is compressed, whose chunks get their places by place_chunk().
  template <class Stored>
  void add_compressed_field(std::string const& name, Extent3 points, int deflate_level,
                            int components = scalar_components);
  /// A place for a chunk of the field that was added last. @param first  the chunk's first number
  std::uint64_t place_chunk(Index3 first, std::size_t bytes, std::uint32_t filters_left_out);

  /// Notes the checksums of a field's blocks, when its values are known.
  void set_checksums(std::string const& field, std::vector<std::uint64_t> sums);

  /// The length of the file, at most, if no field is added any more: what close() adds included.
  [[nodiscard]] std::uint64_t most_bytes() const;

  /// Ends the description, after which the file's content is known. Nothing can be added; every
  /// field has its checksums. The one in the info does not count.
  void close();
  [[nodiscard]] hdf5::FileImage const& image() const { return image_; }

 private:
  void add_vtk_group(Grid const& grid);
  void add_own_group();
  void add_coordinates(Grid const& grid);
  void add_block_checksums(std::string const& field, Extent3 points);
  void write_checksums();
  void attach_axes();
  template <class Stored>
  hdf5::Dataset create_dataset(std::string const& name, Extent3 points, int components,
                               hdf5::PropertyList const& creation);

  SnapshotInfo info_;
  BlockChecksums sums_;
  hdf5::QuietErrors quiet_;
  hdf5::FileImage image_;
  hdf5::Group own_;
  hdf5::Group blocks_;
  hdf5::Group values_;
  hdf5::Dataset compressed_;
  int compressed_components_ = scalar_components;
};

}  // namespace isotherm
