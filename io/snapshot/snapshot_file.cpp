#include "io/snapshot/snapshot_file.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/disk_space.hpp"
#include "io/snapshot/chunks/chunk_exchange.hpp"
#include "kernels/core/stopwatch.hpp"

namespace isotherm {
namespace {

/// Opens the file that the root has created.
Descriptor open_on_each_rank(std::filesystem::path const& path) {
  require(
      std::filesystem::exists(path),
      path.string() +
          " was created by rank 0, but is not visible here: all ranks need the same file system");
  return open_file(path, O_WRONLY | O_NOFOLLOW);
}

/// Most file systems admit one writer to a file at a time, so more threads than this would only
/// wait. With a single thread, checksums would be computed while nothing is written.
constexpr int max_writing_threads = 4;

/// Divides the elapsed time of parallel threads between two activities, in proportion to the thread
/// time of each.
class SharedTime {
 public:
  /// Adds the time since `from` to an activity; returns the current time of the clock.
  static double add(std::atomic<double>& part, double from) {
    double const now = seconds();
    part += now - from;
    return now;
  }
  /// Returns the time of a monotonic clock.
  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  std::atomic<double> checksum = 0.0;
  std::atomic<double> write = 0.0;

  /// Adds the elapsed time to `times`, divided in proportion.
  void end(SnapshotTimes& times) const {
    double const passed = seconds() - begin_;
    // Avoids a division by zero if nothing was written.
    double const all = std::max(checksum + write, 1e-9);
    times.checksum_s += passed * checksum / all;
    times.write_s += passed * write / all;
  }

 private:
  double begin_ = seconds();
};

/// Writes a rank's share to its places in the file. `offset` is the place of the field's first
/// value. Each thread computes a slab's checksum and writes the slab while it is in the thread's
/// cache. So some threads compute while others write.
template <class Stored, class Real>
ValuesCheck write_share(StoredValues<Stored, Real> const& values, Descriptor const& file,
                        std::uint64_t offset, std::filesystem::path const& path,
                        SnapshotTimes& times) {
  std::vector<GlobalBox> const all =
      slabs(values.share(), slab_bytes / static_cast<std::int64_t>(sizeof(Stored)));
  SharedCheck found{values.blocks()};
  SharedTime time;
  on_threads(static_cast<std::int64_t>(all.size()), max_writing_threads, [&](std::int64_t i) {
    thread_local std::vector<Stored> buffer;  // reused for all slabs of this thread
    GlobalBox const slab = all[static_cast<std::size_t>(i)];
    double const begin = SharedTime::seconds();
    Stored const* from = values.values(slab, buffer);
    found.add(slab, from);
    double const summed = SharedTime::add(time.checksum, begin);
    // A slab of a share that is cut along x or y is not contiguous in the file, so it is written in
    // runs.
    for_each_run(slab, values.points(), [&](std::int64_t first, std::int64_t count) {
      std::uint64_t const place = offset + sizeof(Stored) * static_cast<std::uint64_t>(first);
      std::size_t const bytes = sizeof(Stored) * static_cast<std::size_t>(count);
      write_at(file, place, from, bytes, path);
      // The system starts to write to the disk now, so the final sync has little left to do.
      begin_writing_back(file, place, bytes);
      from += count;
    });
    SharedTime::add(time.write, summed);
  });
  time.end(times);
  return found.all();
}

/// Packs chunks on all threads. One of them calls `meanwhile` first.
template <class Chunk>
std::vector<PackedChunk> packed(std::vector<Chunk> const& chunks, int level,
                                std::function<void()> const& meanwhile) {
  std::vector<PackedChunk> results(chunks.size());
  on_threads(static_cast<std::int64_t>(chunks.size()) + 1, 0, [&](std::int64_t n) {
    if (n == 0) return meanwhile();
    auto const i = static_cast<std::size_t>(n - 1);
    auto const& values = chunks[i].values;
    results[i] = pack_chunk(
        {reinterpret_cast<char const*>(values.data()), values.size() * sizeof values.front()},
        sizeof values.front(), level);
  });
  return results;
}

/// Packed chunks with their places in the file, not yet written.
struct PlacedChunks {
  std::vector<PackedChunk> chunks{};
  std::vector<std::uint64_t> places{};

  /// Writes all chunks to their places.
  void write(Descriptor const& file, std::filesystem::path const& path) const {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      write_at(file, places[i], chunks[i].bytes.data(), chunks[i].bytes.size(), path);
      begin_writing_back(file, places[i], chunks[i].bytes.size());
    }
  }
};

/// What the root must know about a chunk to assign a place to it.
struct ChunkSize {
  std::uint64_t bytes;
  std::uint64_t filters_left_out;
};

/// Copies numbers into a message.
template <class T>
mpi::Bytes to_bytes(std::vector<T> const& values) {
  auto const* const begin = reinterpret_cast<char const*>(values.data());
  return {begin, begin + values.size() * sizeof(T)};
}

/// The inverse of to_bytes().
template <class T>
std::vector<T> from_bytes(mpi::Bytes const& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  }
  return values;
}

/// Assigns places to one rank's chunks.
std::vector<std::uint64_t> places_of(std::vector<ChunkSize> const& sizes,
                                     std::vector<Index3> const& firsts,
                                     SnapshotDescription& description) {
  std::vector<std::uint64_t> places;
  places.reserve(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    places.push_back(description.place_chunk(
        firsts[i], sizes[i].bytes, static_cast<std::uint32_t>(sizes[i].filters_left_out)));
  }
  return places;
}

/// Returns the message that informs the root of the sizes of some chunks.
mpi::Bytes sizes_of(std::vector<PackedChunk> const& chunks) {
  std::vector<ChunkSize> sizes;
  sizes.reserve(chunks.size());
  for (PackedChunk const& chunk : chunks) {
    sizes.push_back({chunk.bytes.size(), chunk.skipped_filters});
  }
  return to_bytes(sizes);
}

}  // namespace

SnapshotFileWriter::SnapshotFileWriter(mpi::Communicator const& ranks,
                                       std::filesystem::path const& path, SnapshotInfo const& info,
                                       int deflate_level, std::size_t round_bytes)
    : ranks_(ranks), path_(path), deflate_level_(deflate_level), round_bytes_(round_bytes) {
  Stopwatch const watch(times_.open_s);
  on_root(ranks, [&] {
    turn_.emplace();
    description_ = std::make_unique<SnapshotDescription>(info);
    // The root creates the file before any rank opens it: on_root() ends on all ranks together.
    (void)create_new_file(path);
  });
  rethrow_on_all_ranks(ranks, [&] { file_ = open_on_each_rank(path); });
}

template <class Stored, class Real>
bool SnapshotFileWriter::write(std::string const& field, StoredValues<Stored, Real> const& values) {
  ValuesCheck const found =
      deflate_level_ > 0 ? write_compressed(field, values) : write_plain(field, values);
  // Ranks that share a block add up to its checksum modulo 2^64.
  std::vector<std::uint64_t> const sums = ranks_.sum(found.blocks);
  on_root(ranks_, [&] { description_->set_checksums(field, sums); });
  return found.finite;
}

template <class Stored, class Real>
ValuesCheck SnapshotFileWriter::write_plain(std::string const& field,
                                            StoredValues<Stored, Real> const& values) {
  std::uint64_t place = 0;
  std::optional<Stopwatch> watch(times_.open_s);
  on_root(ranks_, [&] {
    place = description_->add_field<Stored>(field, values.grid_points(), values.components());
    reserve_space(path_, description_->max_bytes());  // fail now, not in the middle of writing
  });
  place = ranks_.broadcast(place);
  watch.reset();
  ValuesCheck found;
  rethrow_on_all_ranks(ranks_, [&] { found = write_share(values, file_, place, path_, times_); });
  return found;
}

// Chunks are packed and written in rounds. Each rank packs the chunks that begin in its share. The
// root then assigns places, and each rank writes its chunks there while it packs those of the next
// round.
template <class Stored, class Real>
ValuesCheck SnapshotFileWriter::write_compressed(std::string const& field,
                                                 StoredValues<Stored, Real> const& values) {
  ChunkGrid const grid(values.points(),
                       numbers_of(chunk_extent(values.grid_points()), values.components()));
  auto const chunk_bytes = sizeof(Stored) * static_cast<std::size_t>(grid.points_in_chunk());
  ChunkExchange<Stored, Real> const exchange(
      ranks_, values, grid,
      static_cast<std::int64_t>(std::max<std::size_t>(1, round_bytes_ / chunk_bytes)));
  on_root(ranks_, [&] {
    description_->add_compressed_field<Stored>(field, values.grid_points(), deflate_level_,
                                               values.components());
  });
  PlacedChunks last;
  for (std::int64_t round = 0; round < exchange.rounds(); ++round) {
    Stopwatch const watch(times_.pack_s);
    auto const chunks = exchange.take(round);
    // While this round is packed, one thread writes the chunks of the round before.
    std::vector<PackedChunk> mine;
    rethrow_on_all_ranks(
        ranks_, [&] { mine = packed(chunks, deflate_level_, [&] { last.write(file_, path_); }); });
    auto places = find_places(mine, [&](int rank) { return exchange.firsts(rank, round); });
    last = {std::move(mine), std::move(places)};
  }
  std::optional<Stopwatch> watch(times_.write_s);
  rethrow_on_all_ranks(ranks_, [&] { last.write(file_, path_); });
  // Checksums refer to the uncompressed values of this rank's own share, not to its chunks.
  watch.emplace(times_.checksum_s);
  return values.check();
}

std::vector<std::uint64_t> SnapshotFileWriter::find_places(
    std::vector<PackedChunk> const& mine,
    std::function<std::vector<Index3>(int rank)> const& firsts_of) {
  // The gather and the scatter are both exchanges in which only messages to or from rank 0 have
  // contents.
  std::vector<mpi::Bytes> to_root(static_cast<std::size_t>(ranks_.size()));
  // 1. Every rank sends the sizes of its chunks to rank 0.
  to_root.front() = sizes_of(mine);
  std::vector<mpi::Bytes> const sizes = ranks_.exchange(to_root);
  // 2. Rank 0 assigns places in the order of the ranks.
  std::vector<mpi::Bytes> places(sizes.size());
  on_root(ranks_, [&] {
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      places[rank] = to_bytes(places_of(from_bytes<ChunkSize>(sizes[rank]),
                                        firsts_of(static_cast<int>(rank)), *description_));
    }
  });
  // 3. Every rank gets the places of its chunks from rank 0.
  return from_bytes<std::uint64_t>(ranks_.exchange(places).front());
}

void SnapshotFileWriter::close() {
  std::optional<Stopwatch> watch(times_.sync_s);
  // Every rank syncs: on a parallel file system each host has its own cache.
  rethrow_on_all_ranks(ranks_, [&] { sync(file_, path_); });
  // The description is written only after all values are on the disk. So a file with a valid
  // description is complete.
  watch.emplace(times_.close_s);
  on_root(ranks_, [&] { write_description(); });
  rethrow_on_all_ranks(ranks_, [&] { sync_and_close(std::move(file_), path_); });
}

void SnapshotFileWriter::write_description() {
  description_->close();
  hdf5::FileImage const& image = description_->image();
  set_length(file_, image.bytes(), path_);
  image.for_each_part([&](std::uint64_t offset, char const* from, std::size_t bytes) {
    write_at(file_, offset, from, bytes, path_);
  });
}

template bool SnapshotFileWriter::write(std::string const&, StoredValues<float, float> const&);
template bool SnapshotFileWriter::write(std::string const&, StoredValues<float, double> const&);
template bool SnapshotFileWriter::write(std::string const&, StoredValues<double, double> const&);

}  // namespace isotherm
