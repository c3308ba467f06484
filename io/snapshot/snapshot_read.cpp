#include "io/snapshot/snapshot_read.hpp"

#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/checks/checked_field.hpp"
#include "io/snapshot/compare/tallies.hpp"
#include "io/snapshot/datasets/stored_field.hpp"
#include "io/snapshot/reading.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Checks that a file has the type and the number of points that the run wants. @throws InputError
template <class Real>
void check_fits(std::filesystem::path const& path, SnapshotInfo const& info, Grid const& grid) {
  // A run resumes bit for bit, so the type must be the same; nothing is converted.
  Precision const wanted = sizeof(Real) == sizeof(float) ? Precision::float32 : Precision::float64;
  if (info.stored_type != wanted) {
    throw InputError(fmt::format("{} contains {} values, but {} is needed", path.string(),
                                 name(info.stored_type), name(wanted)));
  }
  if (info.grid.points != grid.points || info.grid.dimension != grid.dimension) {
    throw InputError(fmt::format("{} has {} points ({}D), but the grid has {} ({}D)", path.string(),
                                 to_text(info.grid.points), axis_count(info.grid),
                                 to_text(grid.points), axis_count(grid)));
  }
}

/// Reads this rank's share of all values of a field and returns their checksums by block.
template <class Stored>
ValuesCheck share_found(mpi::Communicator const& ranks, StoredField const& field, Extent3 points) {
  // Pieces consist of whole chunks of isotherm's layout, so each chunk is unpacked by one rank
  // only.
  std::vector<GlobalBox> const all = pieces(points, tallied_piece_values);
  PieceRange const own = own_pieces(ranks, all.size());
  SharedCheck found(field.blocks());
  std::vector<Stored> values;
  for (std::size_t i = own.begin; i < own.end; ++i) {
    values.resize(static_cast<std::size_t>(all[i].point_count()));
    field.read_checked(all[i], values.data(), found);
  }
  return found.all();
}

}  // namespace

// Each rank opens the file and reads its share independently. Collective reading would gain
// nothing: the file system's cache serves what several ranks want. And a damaged chunk fails only
// on the ranks that need it, not inside a collective call.
template <class Real>
void read_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real* owned) {
  SnapshotInfo info;
  std::optional<StoredField> field;
  ValuesCheck found;
  rethrow_on_all_ranks(ranks, [&] {
    info = read_snapshot_info(path);
    check_fits<Real>(path, info, subdomain.grid());
    field.emplace(path, info);
    SharedCheck mine(field->blocks());
    field->read_checked(subdomain.owned_global(), owned, mine);
    found = mine.all();
  });
  // A block may belong to several ranks. Their contributions add up to its checksum modulo 2^64.
  found.blocks = ranks.sum(std::move(found.blocks));
  field->require_written(found);
  // A run ends rather than write a field that is not finite, so no sound file contains one.
  if (ranks.any(!found.finite) && info.can_resume) {
    throw InputError(path.string() +
                     " is damaged: it contains values that are infinite or not a number");
  }
}

template <class Real>
void read_snapshot_boxes(mpi::Communicator const& ranks, std::filesystem::path const& path,
                         SnapshotInfo const& info, std::string const& name,
                         std::span<GlobalBox const> boxes, Real* values) {
  std::optional<StoredField> field;
  ValuesCheck found;
  rethrow_on_all_ranks(ranks, [&] {
    field.emplace(path, info, name);
    field->require_all();
    found = with_precision(info.stored_type, [&](auto zero) {
      return share_found<decltype(zero)>(ranks, *field, info.grid.points);
    });
  });
  // All values are verified before a box is returned, even if the ranks need only a few of them.
  found.blocks = ranks.sum(std::move(found.blocks));
  found.finite = !ranks.any(!found.finite);
  require_sound(path, info, *field, found);
  rethrow_on_all_ranks(ranks, [&] {
    // Only now are values returned: they are known to be sound.
    for (GlobalBox const& box : boxes) {
      field->read(box, values);
      values += box.point_count();
    }
  });
}

template <class Real>
void read_snapshot_box(mpi::Communicator const& ranks, std::filesystem::path const& path,
                       SnapshotInfo const& info, std::string const& name, GlobalBox box,
                       Real* values) {
  read_snapshot_boxes(ranks, path, info, name, std::span(&box, 1), values);
}

template void read_snapshot_boxes(mpi::Communicator const&, std::filesystem::path const&,
                                  SnapshotInfo const&, std::string const&,
                                  std::span<GlobalBox const>, float*);
template void read_snapshot_boxes(mpi::Communicator const&, std::filesystem::path const&,
                                  SnapshotInfo const&, std::string const&,
                                  std::span<GlobalBox const>, double*);
template void read_snapshot_box(mpi::Communicator const&, std::filesystem::path const&,
                                SnapshotInfo const&, std::string const&, GlobalBox, float*);
template void read_snapshot_box(mpi::Communicator const&, std::filesystem::path const&,
                                SnapshotInfo const&, std::string const&, GlobalBox, double*);
template void read_snapshot(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, float*);
template void read_snapshot(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, double*);

}  // namespace isotherm
