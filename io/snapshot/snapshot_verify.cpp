#include <algorithm>
#include <cmath>

#include "io/snapshot/checked_field.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {
namespace {

bool are_finite(std::vector<double> const& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

void verify_field(std::filesystem::path const& path, SnapshotInfo const& info) {
  CheckedField field(path, info);
  bool finite = true;
  std::vector<double> values;
  for_each_block(info.grid.points, [&](GlobalBox block) {
    field.read(block, values);
    finite = finite && are_finite(values);
  });
  field.finish();
  if (info.can_resume && !finite) {
    throw InputError(path.string() +
                     " is damaged: it is said to be one to go on from, and holds values that are "
                     "infinite or not a number");
  }
}

/// HDF5's checksum of each chunk is all that there is for these.
void verify_extra_field(std::filesystem::path const& path, SnapshotInfo const& info,
                        std::string const& name) {
  StoredField const field(path, info, name);
  field.require_all();
  std::vector<double> values;
  for_each_block(info.grid.points, [&](GlobalBox block) {
    values.resize(static_cast<std::size_t>(block.point_count()));
    field.read(block, values.data());
  });
}

}  // namespace

void verify_snapshot(std::filesystem::path const& path, SnapshotInfo const& info) {
  verify_field(path, info);
  for (std::string const& name : info.extra_fields) {
    verify_extra_field(path, info, name);
  }
}

}  // namespace isotherm
