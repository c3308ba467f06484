#include "io/snapshot/chunked_read.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <optional>

#include "io/snapshot/chunk_codec.hpp"
#include "io/snapshot/chunk_grid.hpp"
#include "io/snapshot/components.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {
namespace {

/// Of the threads that read one box, in the turn of the one that started them.
std::mutex& turn_among_readers() {
  static std::mutex mutex;
  return mutex;
}

/// The bits of the filters that a chunk has passed (ChunkFilter): HDF5 counts those that it was
/// stored without by their place in the dataset's list.
std::uint32_t filters_applied(std::vector<H5Z_filter_t> const& filters, std::uint32_t left_out) {
  std::uint32_t applied = 0;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    bool const was_applied = (left_out >> i & 1U) == 0;
    applied |= !was_applied                       ? 0U
               : filters[i] == H5Z_FILTER_SHUFFLE ? shuffle_filter
               : filters[i] == H5Z_FILTER_DEFLATE ? deflate_filter
                                                  : fletcher32_filter;
  }
  return applied;
}

/// Copies the values of the points that two dense boxes share.
template <class Real>
void copy_rows(Real const* from, GlobalBox from_box, Real* to, GlobalBox to_box) {
  auto const place = [](GlobalBox box, Index3 point) {
    Index3 const at = point - box.lower;
    Extent3 const n = box.extent();
    return at.x + n.x * (at.y + n.y * at.z);
  };
  GlobalBox const both = intersection(from_box, to_box);
  for (std::int64_t k = both.lower.z; k < both.upper.z; ++k) {
    for (std::int64_t j = both.lower.y; j < both.upper.y; ++j) {
      Index3 const at{both.lower.x, j, k};
      Real const* const row = from + place(from_box, at);
      std::copy(row, row + (both.upper.x - both.lower.x), to + place(to_box, at));
    }
  }
}

/// Reads whole chunks of a dataset, converted to Real.
template <class Real>
class ChunkReader {
 public:
  ChunkReader(hdf5::Dataset const& dataset, int rank)
      : dataset_(dataset),
        creation_(hdf5::creation_of(dataset)),
        type_(hdf5::check(H5Dget_type(dataset.get()))),
        filters_(hdf5::filters_of(creation_)),
        skipped_(std::max(0, 3 - rank)),
        components_(rank == 4 ? vector_components : scalar_components),
        element_bytes_(H5Tget_size(type_.get())),
        is_converted_(hdf5::check(H5Tequal(type_.get(), hdf5::memory_type<Real>())) == 0) {
    std::array<hsize_t, 4> chunk{1, 1, 1, 1};
    require(H5Pget_chunk(creation_.get(), rank, chunk.data() + skipped_) == rank,
            "HDF5: the chunks have not as many axes as the dataset");
    chunk_ = numbers_in(chunk);
    std::array<hsize_t, 4> shape{1, 1, 1, 1};
    std::ranges::copy(hdf5::shape_of(dataset), shape.begin() + skipped_);
    points_ = numbers_in(shape);
    check_filters(filters_);
  }

  [[nodiscard]] Extent3 chunk() const { return chunk_; }
  [[nodiscard]] Extent3 points() const { return points_; }
  [[nodiscard]] int components() const { return components_; }

  /// Several threads may call this: they unpack side by side, and ask HDF5, which knows no threads,
  /// one after the other.
  /// @param first  the chunk's first point
  [[nodiscard]] std::vector<Real> read(Index3 first) const {
    auto const zyx = hdf5::to_zyx({first.x / components_, first.y, first.z});
    std::array<hsize_t, 4> const offset{zyx[0], zyx[1], zyx[2], 0};
    auto const count = static_cast<std::size_t>(chunk_.x * chunk_.y * chunk_.z);
    std::size_t const bytes = count * element_bytes_;
    std::optional<StoredChunk> const stored =
        one_at_a_time([&] { return fetch(offset.data() + skipped_, bytes); });
    if (!stored) {  // was never written
      return std::vector<Real>(count, one_at_a_time([&] { return fill_value(); }));
    }
    std::vector<char> values(bytes);
    unpack_chunk(stored->bytes, filters_applied(filters_, stored->left_out), element_bytes_,
                 values);
    return is_converted_ ? one_at_a_time([&] { return converted(std::move(values), count); })
                         : as_numbers(values, count);
  }

 private:
  struct StoredChunk {
    std::vector<char> bytes;
    std::uint32_t left_out;  ///< filters, as HDF5 counts them
  };

  static Extent3 numbers_in(std::array<hsize_t, 4> const& axes) {
    return numbers_of(hdf5::from_zyx({axes[0], axes[1], axes[2]}), static_cast<int>(axes[3]));
  }

  template <class Work>
  static auto one_at_a_time(Work const& work) {
    std::lock_guard const lock(turn_among_readers());
    hdf5::QuietErrors const quiet;  // which some builds of HDF5 have for each thread
    return work();
  }

  [[nodiscard]] Real fill_value() const {
    Real value{};
    hdf5::check(H5Pget_fill_value(creation_.get(), hdf5::memory_type<Real>(), &value));
    return value;
  }

  /// Nothing where the chunk was never written. @param bytes  of its values
  [[nodiscard]] std::optional<StoredChunk> fetch(hsize_t const* offset, std::size_t bytes) const {
    hsize_t stored_bytes = 0;
    hdf5::check(H5Dget_chunk_storage_size(dataset_.get(), offset, &stored_bytes));
    if (stored_bytes == 0) {
      return std::nullopt;
    }
    require(stored_bytes <= most_packed_bytes(bytes), "a chunk of its values is too long");
    StoredChunk stored{std::vector<char>(stored_bytes), 0};
    hdf5::check(
        H5Dread_chunk(dataset_.get(), H5P_DEFAULT, offset, &stored.left_out, stored.bytes.data()));
    return stored;
  }

  static std::vector<Real> as_numbers(std::vector<char> const& bytes, std::size_t count) {
    std::vector<Real> values(count);
    std::memcpy(values.data(), bytes.data(), count * sizeof(Real));
    return values;
  }

  /// HDF5 converts in place, where there must be room for the larger of the two types.
  [[nodiscard]] std::vector<Real> converted(std::vector<char> bytes, std::size_t count) const {
    bytes.resize(std::max(bytes.size(), count * sizeof(Real)));
    hdf5::check(H5Tconvert(type_.get(), hdf5::memory_type<Real>(), count, bytes.data(), nullptr,
                           H5P_DEFAULT));
    return as_numbers(bytes, count);
  }

  hdf5::Dataset const& dataset_;
  hdf5::PropertyList creation_;
  hdf5::Datatype type_;
  std::vector<H5Z_filter_t> filters_;
  int skipped_;
  int components_;
  std::size_t element_bytes_;
  bool is_converted_;
  Extent3 chunk_{};
  Extent3 points_{};  ///< of the dataset
};

}  // namespace

void check_filters(std::vector<H5Z_filter_t> const& filters) {
  constexpr std::array known{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  auto next = known.begin();
  for (H5Z_filter_t const filter : filters) {
    next = std::find(next, known.end(), filter);
    require(next != known.end(),
            fmt::format("its values passed filter {} (there may be shuffle, deflate and "
                        "Fletcher-32, in this order)",
                        filter));
    ++next;
  }
}

bool is_deflated(hdf5::Dataset const& dataset) {
  auto const filters = hdf5::filters_of(hdf5::creation_of(dataset));
  return std::count(filters.begin(), filters.end(), H5Z_filter_t{H5Z_FILTER_DEFLATE}) > 0;
}

template <class Real>
void read_chunked_box(hdf5::Dataset const& dataset, int rank, GlobalBox box, Real* values) {
  if (box.empty()) {
    return;
  }
  ChunkReader<Real> const reader(dataset, rank);
  ChunkGrid const chunks(box.upper, reader.chunk());
  GlobalBox const touched = chunks.touching(box);
  on_threads(touched.point_count(), 0, [&](std::int64_t n) {
    Index3 const first = chunks.first(nth_index(touched, n));
    GlobalBox const chunk{first, first + reader.chunk()};
    GlobalBox named = intersection(chunk, GlobalBox{{}, reader.points()});
    Extent3 points = reader.points();
    for (Index3* const corner : {&named.lower, &named.upper, &points}) {
      corner->x /= reader.components();
    }
    naming_points(named, points, [&] { copy_rows(reader.read(first).data(), chunk, values, box); });
  });
}

template void read_chunked_box(hdf5::Dataset const&, int, GlobalBox, float*);
template void read_chunked_box(hdf5::Dataset const&, int, GlobalBox, double*);

}  // namespace isotherm
