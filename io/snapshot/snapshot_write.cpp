#include "io/snapshot/snapshot_write.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>
#include <type_traits>
#include <utility>

#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/atomic_file.hpp"
#include "io/snapshot/layout.hpp"
#include "io/snapshot/snapshot_file.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/stopwatch.hpp"

namespace isotherm {
namespace {

/// Checks a field's name: names become parts of paths and of XML.
void check_name(std::string const& field) {
  require(layout::is_field_name(field),
          fmt::format("\"{}\" cannot name a field (letters, digits and _ only)", field));
}

/// Marks the file as not resumable. The first reason is kept.
void refuse_resume(SnapshotInfo& info, char const* reason) {
  if (info.can_resume) {
    info.can_resume = false;
    info.reason_not_resumable = reason;
  }
}

/// Adds the entries of the info that follow from the values and options.
SnapshotInfo completed(SnapshotInfo info, Grid const& grid, GlobalBox cut, Precision stored,
                       bool rounded) {
  info.stored_type = stored;
  // The description has the grid of the stored points, so readers of a cut need not know the whole
  // grid.
  info.grid = part_of(grid, cut);
  if (cut != grid.box()) {
    refuse_resume(info, "it contains only a part of the grid");
  }
  if (rounded) {
    refuse_resume(info, "its values were rounded to float32");
  }
  return info;
}

/// Returns the names of the vector fields, sorted by their bytes, as a file lists them.
template <class Real>
std::vector<std::string> vectors_among(std::vector<ExtraField<Real>> const& fields) {
  std::vector<std::string> names;
  for (ExtraField<Real> const& field : fields) {
    require(field.components == scalar_components || field.components == vector_components,
            "a field has one or three numbers per point");
    if (field.components == vector_components) names.push_back(field.name);
  }
  std::ranges::sort(names);
  return names;
}

/// Opens a file that was just written. A run must not report a file as written that cannot be read
/// back.
void check_written(std::filesystem::path const& path) try {
  (void)read_snapshot_info(path);
} catch (InputError const& unreadable) {  // not the user's input
  // Not an InputError: the user has given nothing wrong.
  throw Error(std::string("the written file cannot be read back: ") + unreadable.what());
}

/// Checks that no finite value becomes infinite as a Stored number. Collective. @throws OutOfRange
template <class Stored, class Real>
void check_range(mpi::Communicator const& ranks, std::string const& field,
                 StoredValues<Stored, Real> const& values) {
  if constexpr (!std::is_same_v<Stored, Real>) {
    // All ranks take part, so all of them throw the same exception.
    double const largest = ranks.max(values.largest_out_of_range());
    if (largest > 0.0) throw OutOfRange(field, largest);
  }
}

/// Writes the temporary file. Ranges of all fields are checked first, so a field that does not fit
/// leaves no partial file.
template <class Stored, class Real>
SnapshotTimes write_file(mpi::Communicator const& ranks, std::filesystem::path const& path,
                         SnapshotInfo info, GlobalBox cut, Subdomain const& subdomain,
                         Real const* owned, std::vector<ExtraField<Real>> const& extra,
                         StorageOptions const& options) {
  SnapshotTimes times;
  StoredValues<Stored, Real> const values(subdomain, cut, owned);
  std::optional<Stopwatch> watch(times.checksum_s);
  check_range(ranks, info.field, values);
  for (ExtraField<Real> const& field : extra) {
    check_range(ranks, field.name,
                StoredValues<Stored, Real>(subdomain, cut, field.owned, field.components));
  }
  // Ends the measurement; later times are recorded by the writer itself.
  watch.reset();
  SnapshotFileWriter file(ranks, path, info, options.deflate_level);
  // SnapshotFileWriter finds non-finite values while it computes the checksums.
  bool const finite = file.write(info.field, values);
  // Only the main field must be finite; further fields are not checked.
  if (options.must_be_finite && ranks.any(!finite)) throw NotFinite(info.field);
  for (ExtraField<Real> const& field : extra) {
    (void)file.write(field.name,
                     StoredValues<Stored, Real>(subdomain, cut, field.owned, field.components));
  }
  file.close();
  SnapshotTimes all = file.times();
  all.checksum_s += times.checksum_s;
  return all;
}

}  // namespace

OutOfRange::OutOfRange(std::string field, double largest_magnitude)
    : Error("the field \"" + field + "\" has values up to " + six_digits(largest_magnitude) +
            ", which exceed the range of the type in which they are stored"),
      field_(std::move(field)),
      largest_(largest_magnitude) {}

NotFinite::NotFinite(std::string const& field)
    : Error("the field \"" + field + "\" contains values that are infinite or not a number") {}

template <class Real>
std::uint64_t field_checksum(mpi::Communicator const& ranks, Subdomain const& subdomain,
                             Real const* owned) {
  return ranks.sum(
      StoredValues<Real, Real>(subdomain, subdomain.grid().box(), owned).check().checksum());
}

template <class Real>
SnapshotTimes write_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                             SnapshotInfo info, Subdomain const& subdomain, Real const* owned,
                             std::vector<ExtraField<Real>> const& extra,
                             StorageOptions const& options) {
  // 1. Checks the arguments.
  GlobalBox const all = subdomain.grid().box();
  GlobalBox const cut = options.cut.value_or(all);
  require(!cut.empty() && all.contains(cut), "a cut must contain points, all of them in the grid");
  check_name(info.field);
  std::for_each(extra.begin(), extra.end(), [](auto const& field) { check_name(field.name); });
  info.vector_fields = vectors_among(extra);

  // 2. Completes the info. Values are only rounded if the field is float64 and float32 was
  // requested.
  bool const as_float = sizeof(Real) == sizeof(float) || options.as_float32;
  info = completed(std::move(info), subdomain.grid(), cut,
                   as_float ? Precision::float32 : Precision::float64,
                   as_float && sizeof(Real) != sizeof(float));
  // 3. Writes the temporary file. The root renames it only after check_written() has succeeded. If
  // anything fails on any rank, the root removes the temporary file and an older `path` remains.
  std::filesystem::path const temporary = temporary_path(path);
  try {
    SnapshotTimes times =
        as_float ? write_file<float>(ranks, temporary, info, cut, subdomain, owned, extra, options)
                 : write_file<Real>(ranks, temporary, info, cut, subdomain, owned, extra, options);
    {
      Stopwatch const watch(times.close_s);
      on_root(ranks, [&] {
        check_written(temporary);
        replace_file(temporary, path, options.may_replace);
      });
    }
    return times;
  } catch (...) {
    std::error_code ignored;
    if (ranks.is_root()) {
      std::filesystem::remove(temporary, ignored);
    }
    throw;
  }
}

template std::uint64_t field_checksum(mpi::Communicator const&, Subdomain const&, float const*);
template std::uint64_t field_checksum(mpi::Communicator const&, Subdomain const&, double const*);
template SnapshotTimes write_snapshot(mpi::Communicator const&, std::filesystem::path const&,
                                      SnapshotInfo, Subdomain const&, float const*,
                                      std::vector<ExtraField<float>> const&, StorageOptions const&);
template SnapshotTimes write_snapshot(mpi::Communicator const&, std::filesystem::path const&,
                                      SnapshotInfo, Subdomain const&, double const*,
                                      std::vector<ExtraField<double>> const&,
                                      StorageOptions const&);

}  // namespace isotherm
