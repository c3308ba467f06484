#include "io/snapshot/chunks/chunked_read.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <optional>

#include "io/hdf5/stored_bytes.hpp"
#include "io/snapshot/chunks/chunk_grid.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {
namespace {

/// Serialises the HDF5 calls of the threads that read one box. The thread that started them holds
/// hdf5::Turn meanwhile, so no other thread of the process calls HDF5.
std::mutex& turn_among_readers() {
  static std::mutex mutex;
  return mutex;
}

/// Returns the index of a point's value in a dense box.
std::int64_t place(GlobalBox box, Index3 point) {
  Index3 const at = point - box.lower;
  Extent3 const n = box.extent();
  return at.x + n.x * (at.y + n.y * at.z);
}

/// Copies the values at the points that two dense boxes have in common.
template <class Real>
void copy_rows(Real const* from, GlobalBox from_box, Real* to, GlobalBox to_box) {
  GlobalBox const both = intersection(from_box, to_box);
  for (std::int64_t k = both.lower.z; k < both.upper.z; ++k) {
    for (std::int64_t j = both.lower.y; j < both.upper.y; ++j) {
      Index3 const at{both.lower.x, j, k};
      Real const* const row = from + place(from_box, at);
      std::copy(row, row + (both.upper.x - both.lower.x), to + place(to_box, at));
    }
  }
}

/// Copies some components of the vectors that two dense boxes have in common. Boxes count numbers.
/// @param from     `count` numbers for each vector of `from_box`
/// @param first    the component that comes first in `from`
/// @param vector   numbers of a vector in `to`
template <class Real>
void copy_components(Real const* from, GlobalBox from_box, std::int64_t count, Real* to,
                     GlobalBox to_box, std::int64_t first, std::int64_t vector) {
  GlobalBox const both = intersection(from_box, to_box);
  for (Index3 at = both.lower; at.z < both.upper.z; ++at.z) {
    for (at.y = both.lower.y; at.y < both.upper.y; ++at.y) {
      for (at.x = both.lower.x; at.x < both.upper.x; at.x += vector) {
        Real const* const numbers = from + place(from_box, at) / vector * count;
        std::copy(numbers, numbers + std::min(count, vector - first),
                  to + place(to_box, at) + first);
      }
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
        filters_(hdf5::known_filters(creation_)),
        skipped_(std::max(0, 3 - rank)),
        components_(rank == 4 ? vector_components : scalar_components),
        element_bytes_(H5Tget_size(type_.get())),
        is_converted_(hdf5::check(H5Tequal(type_.get(), hdf5::memory_type<Real>())) == 0) {
    // Lengths in the order z, y, x, component. Axes that the dataset lacks (the first `skipped_`)
    // keep the length 1.
    std::array<hsize_t, 4> chunk{1, 1, 1, 1};
    require(H5Pget_chunk(creation_.get(), rank, chunk.data() + skipped_) == rank,
            "HDF5: the chunks have another number of axes than the dataset");
    // The fourth length is kept separately: chunk_ covers all components of its points, even if the
    // file's chunks do not.
    chunk_components_ = static_cast<std::int64_t>(chunk[3]);
    chunk[3] = static_cast<hsize_t>(components_);
    chunk_ = numbers_in(chunk);
    std::array<hsize_t, 4> shape{1, 1, 1, 1};
    std::ranges::copy(hdf5::shape_of(dataset), shape.begin() + skipped_);
    points_ = numbers_in(shape);
  }

  /// Returns the extent of a chunk in numbers, with all components of its points. If the file
  /// splits vectors, several chunks of the file make up one such chunk.
  [[nodiscard]] Extent3 chunk() const { return chunk_; }
  /// Returns the extent of the dataset in numbers.
  [[nodiscard]] Extent3 points() const { return points_; }
  /// Returns the numbers at each point.
  [[nodiscard]] int components() const { return components_; }
  /// Returns the bytes of a chunk's values in the file's type.
  [[nodiscard]] std::size_t chunk_bytes() const {
    return static_cast<std::size_t>(chunk_.x * chunk_.y * chunk_.z) * element_bytes_;
  }

  /// Reads the part of `box` that lies in the chunk beginning at `first`.
  void read(Index3 first, GlobalBox box, Real* values) const {
    GlobalBox const chunk{first, first + chunk_};
    if (chunk_components_ == components_) {
      return copy_rows(read_one(first, 0).data(), chunk, values, box);
    }
    // Other programs may put the components of vectors into separate chunks.
    for (std::int64_t c = 0; c < components_; c += chunk_components_) {
      copy_components(read_one(first, c).data(), chunk, chunk_components_, values, box, c,
                      components_);
    }
  }

 private:
  /// Reads one chunk of the file. Several threads may call this: they unpack in parallel, but call
  /// HDF5, which is not thread-safe, one at a time.
  /// @param first      the chunk's first point
  /// @param component  the chunk's first component
  [[nodiscard]] std::vector<Real> read_one(Index3 first, std::int64_t component) const {
    auto const zyx = hdf5::to_zyx({first.x / components_, first.y, first.z});
    std::array<hsize_t, 4> const offset{zyx[0], zyx[1], zyx[2], static_cast<hsize_t>(component)};
    auto const count =
        static_cast<std::size_t>(chunk_.x / components_ * chunk_components_ * chunk_.y * chunk_.z);
    std::size_t const bytes = count * element_bytes_;
    std::optional<hdf5::StoredChunk> const stored = one_at_a_time(
        [&] { return hdf5::fetch_chunk(dataset_, filters_, offset.data() + skipped_, bytes); });
    if (!stored) {  // the chunk was never written
      return std::vector<Real>(count, one_at_a_time([&] { return fill_value(); }));
    }
    // unpack_chunk() fails if the stored bytes do not inflate to exactly this size.
    std::vector<char> values(bytes);
    unpack_chunk(stored->bytes, stored->applied, element_bytes_, values);
    return is_converted_ ? one_at_a_time([&] { return converted(std::move(values), count); })
                         : as_numbers(values, count);
  }

  /// Converts lengths (z, y, x, component) to an extent in numbers.
  static Extent3 numbers_in(std::array<hsize_t, 4> const& axes) {
    return numbers_of(hdf5::from_zyx({axes[0], axes[1], axes[2]}), static_cast<int>(axes[3]));
  }

  /// Runs `work` while no other reader calls HDF5.
  template <class Work>
  static auto one_at_a_time(Work const& work) {
    std::lock_guard const lock(turn_among_readers());
    hdf5::QuietErrors const quiet;  // some builds of HDF5 keep this setting for each thread
    return work();
  }

  /// Returns the value of points that were never written.
  [[nodiscard]] Real fill_value() const {
    Real value{};
    hdf5::check(H5Pget_fill_value(creation_.get(), hdf5::memory_type<Real>(), &value));
    return value;
  }

  /// Copies bytes to numbers; the bytes may be unaligned.
  static std::vector<Real> as_numbers(std::vector<char> const& bytes, std::size_t count) {
    std::vector<Real> values(count);
    std::memcpy(values.data(), bytes.data(), count * sizeof(Real));
    return values;
  }

  /// Converts values to Real. HDF5 converts in place, so the buffer must have room for the larger
  /// type.
  [[nodiscard]] std::vector<Real> converted(std::vector<char> bytes, std::size_t count) const {
    bytes.resize(std::max(bytes.size(), count * sizeof(Real)));
    hdf5::check(H5Tconvert(type_.get(), hdf5::memory_type<Real>(), count, bytes.data(), nullptr,
                           H5P_DEFAULT));
    return as_numbers(bytes, count);
  }

  hdf5::Dataset const& dataset_;
  hdf5::PropertyList creation_;
  hdf5::Datatype type_;               ///< of the values in the file
  std::vector<ChunkFilter> filters_;  ///< in the order in which they were applied
  int skipped_;                       ///< leading axes of (z, y, x) that the dataset lacks
  int components_;
  std::size_t element_bytes_;
  bool is_converted_;  ///< true if the file's type differs from Real
  Extent3 chunk_{};
  std::int64_t chunk_components_ = 1;  ///< components in a chunk of the file
  Extent3 points_{};                   ///< of the dataset, in numbers
};

}  // namespace

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
  // The grid of chunks needs the dataset's points only up to the end of the box.
  ChunkGrid const chunks(box.upper, reader.chunk());
  GlobalBox const touched = chunks.touching(box);
  // Bounds the memory of the chunks that threads unpack at the same time.
  constexpr std::size_t max_bytes = std::size_t{1} << 30;
  auto const at_once = static_cast<int>(
      std::max<std::size_t>(1, std::min(max_bytes / reader.chunk_bytes(), std::size_t{1} << 20)));
  on_threads(touched.point_count(), at_once, [&](std::int64_t n) {
    Index3 const first = chunks.first(nth_index(touched, n));
    GlobalBox const chunk{first, first + reader.chunk()};
    // Messages name points, so numbers along x are converted to points.
    GlobalBox named = intersection(chunk, GlobalBox{{}, reader.points()});
    Extent3 points = reader.points();
    for (Index3* const corner : {&named.lower, &named.upper, &points}) {
      corner->x /= reader.components();
    }
    naming_points(named, points, nullptr, [&] { reader.read(first, box, values); });
  });
}

template void read_chunked_box(hdf5::Dataset const&, int, GlobalBox, float*);
template void read_chunked_box(hdf5::Dataset const&, int, GlobalBox, double*);

}  // namespace isotherm
