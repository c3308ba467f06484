#include "io/snapshot/checks/snapshot_verify.hpp"

#include <vector>

#include "io/snapshot/checks/checked_field.hpp"
#include "io/snapshot/datasets/axes.hpp"
#include "io/snapshot/layout.hpp"
#include "io/snapshot/reading.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Reads all values of a field, in the type in which they are stored, and returns their checksums.
template <class Stored>
ValuesCheck check_of(StoredField const& field, Extent3 points) {
  SharedCheck found(field.blocks());
  std::vector<Stored> values;
  for_each_piece(points, [&](GlobalBox of_points) {
    // Vectors are read as scalars with three numbers along x for each point.
    GlobalBox const piece = numbers_of(of_points, field.components());
    values.resize(static_cast<std::size_t>(piece.point_count()));
    field.read_checked(piece, values.data(), found);
  });
  return found.all();
}

/// Compares the values of one field with the file's checksums. @throws InputError
void verify_field(std::filesystem::path const& path, SnapshotInfo const& info,
                  std::string const& name) {
  StoredField const field(path, info, name);
  field.require_all();
  // Checksums refer to the stored bits, so values are read in the stored type.
  ValuesCheck const found = with_precision(info.stored_type, [&](auto zero) {
    return check_of<decltype(zero)>(field, info.grid.points);
  });
  require_sound(path, info, field, found);
}

/// Checks the coordinates that the file holds for other programs. @throws InputError
void verify_axes(std::filesystem::path const& path, SnapshotInfo const& info) {
  reading(path, "in its axes: ", [&] {
    hdf5::File const file = open_for_reading(path);
    field_axes::check(file, open_group(file.get(), layout::own_group).get(), info, path);
  });
}

}  // namespace

bool was_rewritten(std::filesystem::path const& path) {
  return reading(path, "", [&] { return field_axes::is_rewritten(open_for_reading(path), path); });
}

void verify_snapshot(std::filesystem::path const& path, SnapshotInfo const& info) {
  verify_field(path, info, info.field);
  for (auto const* const names : {&info.extra_fields, &info.vector_fields}) {
    for (std::string const& name : *names) verify_field(path, info, name);
  }
  verify_axes(path, info);
}

}  // namespace isotherm
