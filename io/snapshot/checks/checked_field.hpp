#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/datasets/stored_field.hpp"

namespace isotherm {

/// Reads a field in pieces, which together are all points, and verifies its checksums at the same
/// time. So a file is read only once, and may be larger than the memory. Each rank may read some of
/// the pieces.
///
///   CheckedField field(path, info);
///   for (GlobalBox const& piece : mine) field.read(piece, values);  // each piece on one rank
///   field.finish(ranks);  // throws if the checksums differ
class CheckedField {
 public:
  /// @param info  as read_snapshot_info() returned it; must outlive this object
  /// @throws InputError  like StoredField, and if a part of the values is missing
  CheckedField(std::filesystem::path const& path, SnapshotInfo const& info);

  /// Reads the next piece, in any order, converted to float64. @throws InputError  if a chunk is
  /// damaged
  void read(GlobalBox piece, std::vector<double>& values);
  /// Compares the checksums after the last piece. @pre every piece was read once, by one of the
  /// ranks. Collective.
  /// @throws InputError  on every rank, if the values do not have the file's checksums
  void finish(mpi::Communicator const& ranks) const;

 private:
  /// Reads a piece in its stored type, and adds it to the checksums.
  template <class Stored>
  void read_as(GlobalBox piece, std::vector<Stored>& values);

  SnapshotInfo const& info_;
  StoredField field_;
  SharedCheck found_;
  std::vector<float> narrow_{};  ///< float32 values before their conversion
};

/// Divides the points into boxes of whole chunks. A box has at most `max_values` points, unless a
/// single chunk has more. The result depends on the arguments only, not on rank or threads.
std::vector<GlobalBox> pieces(Extent3 points, std::int64_t max_values);

/// A range of consecutive pieces in a list: [begin, end).
struct PieceRange {
  std::size_t begin;
  std::size_t end;
};
/// Returns the part of `count` pieces that this rank reads. The parts of two ranks differ by at
/// most one piece.
PieceRange own_pieces(mpi::Communicator const& ranks, std::size_t count);

/// Compares the result of checking all values with the checksums in the file. If a run can resume
/// from the file, the field must also be finite. @throws InputError  if the values are damaged
void require_sound(std::filesystem::path const& path, SnapshotInfo const& info,
                   StoredField const& field, ValuesCheck const& found);

/// Calls action(box) for pieces of whole chunks that together are all points. A piece has
/// approximately four million points, or more if there are many threads.
void for_each_piece(Extent3 points, std::function<void(GlobalBox)> const& action);

}  // namespace isotherm
