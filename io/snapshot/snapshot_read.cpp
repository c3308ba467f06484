#include <fmt/format.h>
#include <optional>
#include <utility>

#include "decomposition/ranks/together.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/snapshot.hpp"
#include "io/snapshot/stored_field.hpp"

namespace isotherm {
namespace {

template <class Real>
void check_fits(std::filesystem::path const& path, SnapshotInfo const& info, Grid const& grid) {
  Precision const wanted = sizeof(Real) == sizeof(float) ? Precision::float32 : Precision::float64;
  if (info.stored_type != wanted) {
    throw InputError(fmt::format("{} holds {} values, {} are wanted", path.string(),
                                 name(info.stored_type), name(wanted)));
  }
  if (info.grid.points != grid.points || info.grid.dimension != grid.dimension) {
    throw InputError(fmt::format("{} holds {} points ({}D), the grid has {} ({}D)", path.string(),
                                 to_text(info.grid.points), info.grid.dimension,
                                 to_text(grid.points), grid.dimension));
  }
}

}  // namespace

// Each rank opens the file and reads its share by itself: nothing is gained by reading together
// (what several ranks want comes from the file system's cache), and a damaged chunk then fails on
// the ranks that need it, not inside a collective call.
template <class Real>
void read_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real* owned) {
  SnapshotInfo info;
  std::optional<StoredField> field;
  ValuesCheck found;
  together(ranks, [&] {
    info = read_snapshot_info(path);
    check_fits<Real>(path, info, subdomain.grid());
    field.emplace(path, info);
    SharedCheck mine(field->blocks());
    field->read_checked(subdomain.owned_global(), owned, mine);
    found = mine.all();
  });
  found.blocks = ranks.sum(std::move(found.blocks));
  field->require_written(found);
  // Runs end rather than write a field that is not finite, so no sound file has one.
  if (ranks.any(!found.finite) && info.can_resume) {
    throw InputError(path.string() +
                     " is damaged: it holds values that are infinite or not a number");
  }
}

template void read_snapshot(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, float*);
template void read_snapshot(mpi::Communicator const&, std::filesystem::path const&,
                            Subdomain const&, double*);

}  // namespace isotherm
