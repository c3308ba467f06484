#include "io/snapshot/datasets/stored_field.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

#include "io/hdf5/file_access.hpp"
#include "io/snapshot/checks/block_checksums.hpp"
#include "io/snapshot/checks/checksum.hpp"
#include "io/snapshot/chunks/chunked_read.hpp"
#include "io/snapshot/datasets/slabs.hpp"
#include "io/snapshot/layout.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {
namespace {

/// Returns the type of a dataset's values. Other types, also integers that could be converted, are
/// an error: they are not isotherm's.
Precision type_of(hdf5::Dataset const& dataset) {
  hdf5::Datatype const type(hdf5::check(H5Dget_type(dataset.get())));
  if (hdf5::check(H5Tequal(type.get(), hdf5::file_type<float>())) > 0) {
    return Precision::float32;
  }
  require(hdf5::check(H5Tequal(type.get(), hdf5::file_type<double>())) > 0,
          "the field's values are neither float32 nor float64 (IEEE 754, little-endian)");
  return Precision::float64;
}

/// Returns the number of a dataset's axes.
std::size_t rank_of(int components) { return components > scalar_components ? 4 : 3; }

/// Checks that a dataset has the shape (z, y, x), or for vectors (z, y, x, components).
void check_shape(hdf5::Dataset const& dataset, Extent3 points, int components) {
  auto const shape = hdf5::shape_of(dataset);
  std::size_t const rank = rank_of(components);
  require(shape.size() == rank,
          fmt::format("the field's values have {} axes instead of {}", shape.size(), rank));
  require(rank == 3 || shape[3] == static_cast<hsize_t>(components),
          fmt::format("the field's vectors have {} components instead of {}", shape.back(),
                      components));
  auto const found = hdf5::from_zyx({shape[0], shape[1], shape[2]});
  require(found == points, fmt::format("the file contains the values of {} points instead of {}",
                                       to_text(found), to_text(points)));
}

/// Checks the size of chunks: HDF5 allocates memory for whole ones.
void check_chunks(hdf5::PropertyList const& creation, Extent3 points, int components) {
  std::size_t const rank = rank_of(components);
  std::vector<hsize_t> chunk(rank);
  require(hdf5::check(H5Pget_chunk(creation.get(), static_cast<int>(rank), chunk.data())) ==
              static_cast<int>(rank),
          fmt::format("the field's chunks do not have {} axes", rank));
  // As doubles, since the product of claimed lengths may overflow.
  auto const product = [](auto const& factors) {
    return std::accumulate(factors.begin(), factors.end(), 1.0,
                           [](double all, auto one) { return all * static_cast<double>(one); });
  };
  std::string const extent = to_text(hdf5::from_zyx({chunk[0], chunk[1], chunk[2]}));
  constexpr double harmless = 1 << 20;  // values
  require(product(chunk) <=
              std::max(harmless, product(std::array{points.x, points.y, points.z}) * components),
          fmt::format("the field's chunks, {}, are larger than the whole field", extent));
  constexpr double largest = 1 << 26;  // values: 512 MiB in each reading process
  require(product(chunk) <= largest,
          fmt::format("the field's chunks, {}, hold more than {} values, and each process needs "
                      "memory for whole chunks: rewrite the file with smaller ones (h5repack -l)",
                      extent, largest));
}

/// Returns the number of values of a dense box that precede those of `slab`. @pre the slab consists
/// of whole rows of the box
std::int64_t place_in(GlobalBox box, GlobalBox slab) {
  Extent3 const n = box.extent();
  Index3 const at = slab.lower - box.lower;
  return n.x * (at.y + n.y * at.z);
}

/// Calls work(slab) for slabs that together are `box`, on all threads.
template <class Real, class Work>
void in_slabs(GlobalBox box, Work const& work) {
  auto const all = slabs(box, slab_bytes / static_cast<std::int64_t>(sizeof(Real)));
  on_threads(static_cast<std::int64_t>(all.size()), 0,
             [&](std::int64_t i) { work(all[static_cast<std::size_t>(i)]); });
}

}  // namespace

FieldStorage check_field(hdf5::Dataset const& dataset, Grid const& grid, int components) {
  FieldStorage storage;
  storage.type = type_of(dataset);
  check_shape(dataset, grid.points, components);
  std::size_t const element_bytes = storage.type == Precision::float32 ? 4 : 8;
  hdf5::PropertyList const creation = hdf5::creation_of(dataset);
  storage.has_chunks = H5Pget_layout(creation.get()) == H5D_CHUNKED;
  if (storage.has_chunks) {
    check_chunks(creation, grid.points, components);
    storage.filters = hdf5::known_filters(creation);
  }
  storage.bytes = static_cast<std::uint64_t>(grid.point_count()) * element_bytes *
                  static_cast<std::uint64_t>(components);
  storage.min_stored_bytes = hdf5::min_stored_bytes(storage.filters, storage.bytes);
  return storage;
}

StoredField::StoredField(std::filesystem::path const& path, SnapshotInfo const& info,
                         std::string const& field)
    : path_(path),
      name_(field),
      in_values_("in the values of \"" + field + "\": "),
      file_(open_for_reading(path)),
      components_(std::ranges::count(info.vector_fields, field) > 0 ? vector_components
                                                                    : scalar_components),
      grid_(info.grid),
      points_(numbers_of(info.grid.points, components_)),
      blocks_(info.grid.points, components_) {
  reading(path_, in_description, [&] {
    dataset_ = open_dataset(file_.get(), layout::dataset_path(info.grid, field));
    storage_ = check_field(dataset_, info.grid, components_);
    // The description has one type for all fields.
    require(storage_.type == info.stored_type, "its fields have different types");
    read_checksums(info);
  });
}

/// Fields that another program has added have no checksums.
void StoredField::read_checksums(SnapshotInfo const& info) {
  if (name_ == info.field) checksum_ = info.checksum;
  if (!info.has_block_checksums) return;
  BlockChecksums blocks = read_block_checksums(open_group(file_.get(), layout::own_group).get(),
                                               info.grid.points, std::filesystem::file_size(path_));
  blocks_ = blocks.grid.of_numbers(components_);
  // operator[] gives an empty list for a field without checksums.
  checksums_ = std::move(blocks.of_field[name_]);
}

void StoredField::require_written(ValuesCheck const& found) const {
  std::size_t damaged = 0;
  std::int64_t first = 0;
  // Backwards, so `first` ends as the first damaged block.
  for (std::size_t block = checksums_.size(); block-- > 0;) {
    if (found.blocks[block] == checksums_[block]) continue;
    ++damaged;
    first = static_cast<std::int64_t>(block);
  }
  if (damaged > 0) {
    throw InputError(fmt::format(
        "{} is damaged: {}the checksum of the block of {} is wrong{}", path_.string(), in_values_,
        name_of_points(blocks_.box(first), points_, &grid_),
        damaged == 1 ? ""
                     : fmt::format(" ({} of {} blocks are damaged)", damaged, checksums_.size())));
  }
  // Files without block checksums have only this checksum, of all values.
  if (checksum_ && found.checksum() != *checksum_) {
    throw InputError(path_.string() + " is damaged: the checksum of its values is wrong");
  }
}

void StoredField::require_all() const {
  reading(path_, in_values_, [&] {
    // HDF5 sums up the sizes of all chunks that exist; chunks may be missing.
    std::uint64_t const stored = H5Dget_storage_size(dataset_.get());
    require(stored >= storage_.min_stored_bytes,
            fmt::format("a part is missing: it contains {} of {} bytes", stored, storage_.bytes));
  });
}

template <class Real>
void StoredField::read(GlobalBox box, Real* values) const {
  reading(path_, in_values_, [&] {
    auto const rank = static_cast<int>(rank_of(components_));
    // HDF5 would run filters on one thread, and would trust the claimed size of deflated data.
    if (!storage_.filters.empty()) {
      read_chunked_box(dataset_, rank, box, values);
    } else {
      read_box(dataset_, rank, box, values);
    }
  });
}

template <class Real>
void StoredField::read_checked(GlobalBox box, Real* values, SharedCheck& found) const {
  if (auto const place = plain_place<Real>()) {
    return reading(path_, in_values_, [&] { read_plain(*place, box, values, found); });
  }
  // Compressed or converted values are checked in a second pass over memory.
  read(box, values);
  in_slabs<Real>(box, [&](GlobalBox slab) { found.add(slab, values + place_in(box, slab)); });
}

// HDF5's offset is not validated here. If it is wrong, a read beyond the end of the file fails, and
// other bytes have another checksum.
template <class Real>
std::optional<std::uint64_t> StoredField::plain_place() const {
  // HDF5 is asked for size and place only; the values are read without it.
  hdf5::Turn const turn;
  if (storage_.has_chunks || storage_.type != precision_of<Real> ||
      H5Dget_storage_size(dataset_.get()) != storage_.bytes) {
    return std::nullopt;
  }
  haddr_t const place = H5Dget_offset(dataset_.get());
  return place == HADDR_UNDEF ? std::nullopt : std::optional<std::uint64_t>(place);
}

template <class Real>
void StoredField::read_plain(std::uint64_t place, GlobalBox box, Real* values,
                             SharedCheck& found) const {
  Descriptor const& file = hdf5::descriptor_of(file_);
  in_slabs<Real>(box, [&](GlobalBox slab) {
    Real* const first = values + place_in(box, slab);
    Real* to = first;
    naming_points(slab, points_, &grid_, [&] {
      for_each_run(slab, points_, [&](std::int64_t number, std::int64_t count) {
        read_at(file, place + sizeof(Real) * static_cast<std::uint64_t>(number), to,
                sizeof(Real) * static_cast<std::size_t>(count), path_);
        to += count;
      });
    });
    // The slab is still in this thread's cache.
    found.add(slab, first);
  });
}

template void StoredField::read_checked(GlobalBox, float*, SharedCheck&) const;
template void StoredField::read_checked(GlobalBox, double*, SharedCheck&) const;
template void StoredField::read(GlobalBox, float*) const;
template void StoredField::read(GlobalBox, double*) const;

}  // namespace isotherm
