#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/stored_field.hpp"

namespace isotherm {

/// Reads the field of one of isotherm's files in pieces, which together are all points, and checks
/// it meanwhile. So a file is read only once, and may be larger than the memory. Each rank may read
/// a part of the pieces.
class CheckedField {
 public:
  /// @param info  what read_snapshot_info said about the file; has to live as long
  /// @throws InputError  as StoredField does, and where a part of the values is missing
  CheckedField(std::filesystem::path const& path, SnapshotInfo const& info);

  /// Reads the next piece, in any order. @throws InputError  where a chunk is damaged
  void read(GlobalBox piece, std::vector<double>& values);
  /// After the last piece, where each rank has read some. Collective.
  /// @throws InputError  on every rank, where the values do not have the file's checksums
  void finish(mpi::Communicator const& ranks) const;

 private:
  template <class Stored>
  void read_as(GlobalBox piece, std::vector<Stored>& values);

  SnapshotInfo const& info_;
  StoredField field_;
  SharedCheck found_;
  std::vector<float> narrow_{};
};

/// Boxes of whole chunks, of at most so many points where a chunk has no more, that together are
/// all points: the same whoever asks.
std::vector<GlobalBox> pieces(Extent3 points, std::int64_t most_values);

/// Consecutive pieces of a list: [begin, end).
struct PieceRange {
  std::size_t begin;
  std::size_t end;
};
/// The part of `count` pieces that this rank reads. Parts differ by at most one piece between
/// ranks.
PieceRange own_pieces(mpi::Communicator const& ranks, std::size_t count);

/// Compares what was found in all values of a field with what the file says of them: their
/// checksums, and that a run can go on from them. @throws InputError  where they are damaged
void require_sound(std::filesystem::path const& path, SnapshotInfo const& info,
                   StoredField const& field, ValuesCheck const& found);

/// Calls action(box) for pieces of whole chunks, of about four million points each, more where
/// there are many threads, that together are all points.
void for_each_piece(Extent3 points, std::function<void(GlobalBox)> const& action);

}  // namespace isotherm
