#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "io/snapshot/stored_field.hpp"

namespace isotherm {

/// Reads the field of one of isotherm's files in blocks, which together are all points, and checks
/// it meanwhile. So a file is read only once, and may be larger than the memory. Serial.
class CheckedField {
 public:
  /// @param info  what read_snapshot_info said about the file; has to live as long
  /// @throws InputError  as StoredField does, and where a part of the values is missing
  CheckedField(std::filesystem::path const& path, SnapshotInfo const& info);

  /// Reads the next block, in any order. @throws InputError  where a chunk is damaged
  void read(GlobalBox block, std::vector<double>& values);
  /// After the last block. @throws InputError  where the values do not have the file's checksum
  void finish() const;

 private:
  template <class Stored>
  void read_as(GlobalBox block, std::vector<Stored>& values);

  std::filesystem::path path_;
  SnapshotInfo const& info_;
  StoredField field_;
  std::vector<float> narrow_{};
  std::uint64_t sum_ = 0;
};

/// Calls action(box) for blocks of whole chunks, of about four million points each, that together
/// are all points.
void for_each_block(Extent3 points, std::function<void(GlobalBox)> const& action);

/// Throws the InputError for a file whose values are not those that were written.
[[noreturn]] void fail_on_checksum(std::filesystem::path const& path);

}  // namespace isotherm
