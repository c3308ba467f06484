#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "io/snapshot/stored_field.hpp"

namespace isotherm {

/// Reads the field of one of isotherm's files in pieces, which together are all points, and checks
/// it meanwhile. So a file is read only once, and may be larger than the memory. Serial.
class CheckedField {
 public:
  /// @param info  what read_snapshot_info said about the file; has to live as long
  /// @throws InputError  as StoredField does, and where a part of the values is missing
  CheckedField(std::filesystem::path const& path, SnapshotInfo const& info);

  /// Reads the next piece, in any order. @throws InputError  where a chunk is damaged
  void read(GlobalBox piece, std::vector<double>& values);
  /// After the last piece. @throws InputError  where the values do not have the file's checksums
  void finish() const { field_.require_written(found_.all()); }

 private:
  template <class Stored>
  void read_as(GlobalBox piece, std::vector<Stored>& values);

  SnapshotInfo const& info_;
  StoredField field_;
  SharedCheck found_;
  std::vector<float> narrow_{};
};

/// Calls action(box) for pieces of whole chunks, of about four million points each, more where
/// there are many threads, that together are all points.
void for_each_piece(Extent3 points, std::function<void(GlobalBox)> const& action);

}  // namespace isotherm
