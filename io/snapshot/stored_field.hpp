#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/stored_bytes.hpp"
#include "io/snapshot/checksum.hpp"
#include "io/snapshot/components.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {

/// How a field's values are stored, as known before one of them is read.
struct FieldStorage {
  Precision type = Precision::float64;
  std::uint64_t bytes = 0;             ///< of all values
  std::vector<ChunkFilter> filters{};  ///< none if there are no chunks
  bool has_chunks = false;
  bool as_written = true;                ///< in chunks and by filters that isotherm writes
  std::uint64_t least_stored_bytes = 0;  ///< the fewest bytes that the values can be packed into
};

/// Makes sure that a dataset holds the values of `grid`: their number and exact type. They may lie
/// in chunks of any size and have passed the filters of ChunkFilter.
/// @param components  numbers of each point
/// @throws Error, hdf5::UnknownFilter
FieldStorage check_field(hdf5::Dataset const& dataset, Grid const& grid,
                         int components = scalar_components);

/// The values of a field in one of isotherm's files, opened to be read in boxes. The only place
/// where they are read. Serial.
class StoredField {
 public:
  /// @param info  what read_snapshot_info said about the file
  /// @throws InputError  where the values are not there, not the file's own, or of another kind
  StoredField(std::filesystem::path const& path, SnapshotInfo const& info)
      : StoredField(path, info, info.field) {}
  /// A further field of the same file.
  StoredField(std::filesystem::path const& path, SnapshotInfo const& info,
              std::string const& field);

  /// Makes sure that the file holds at least the bytes that its values need. Otherwise a small file
  /// could claim so many values that reading them takes forever. Reads each chunk's entry.
  /// @throws InputError
  void require_all() const;

  /// False if another program has put the values into other chunks, or passed them through other
  /// filters, than isotherm does.
  [[nodiscard]] bool as_written() const { return storage_.as_written; }

  /// Numbers of each point. Boxes count numbers, and hold all of a point's (components.hpp).
  [[nodiscard]] int components() const { return components_; }

  /// Reads the box of values, dense, x fastest, converted to Real.
  /// @throws InputError  where they are damaged
  template <class Real>
  void read(GlobalBox box, Real* values) const;

  /// As read(), and has `found` look at the values, while they are in the cache of the thread that
  /// read them where they lie in one piece and are not converted. On all threads.
  template <class Real>
  void read_checked(GlobalBox box, Real* values, SharedCheck& found) const;

  [[nodiscard]] std::string const& name() const { return name_; }
  /// The blocks that have a checksum each; a SharedCheck of these is to be read with.
  [[nodiscard]] BlockGrid const& blocks() const { return blocks_; }

  /// Compares what was found in all values, each read once, with the checksums in the file.
  /// @throws InputError  where they are not those that were written: names the blocks
  void require_written(ValuesCheck const& found) const;

 private:
  /// Where values lie that can be read without HDF5: one after the other, as numbers of type Real.
  template <class Real>
  [[nodiscard]] std::optional<std::uint64_t> plain_place() const;
  template <class Real>
  void read_plain(std::uint64_t place, GlobalBox box, Real* values, SharedCheck& found) const;
  void read_checksums(SnapshotInfo const& info);

  std::filesystem::path path_;
  std::string name_;
  std::string in_values_;  ///< what is read, for messages
  hdf5::File file_{};
  hdf5::Dataset dataset_{};
  FieldStorage storage_{};
  int components_;
  Extent3 points_{};  ///< of all its numbers
  BlockGrid blocks_;
  std::vector<std::uint64_t> checksums_{};   ///< of the blocks; none in an older file
  std::optional<std::uint64_t> checksum_{};  ///< of all values, where the file has it
};

}  // namespace isotherm
