#include "io/snapshot/snapshot_file.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

#include "decomposition/ranks/together.hpp"
#include "io/files/disk_space.hpp"
#include "io/snapshot/chunk_exchange.hpp"
#include "kernels/core/stopwatch.hpp"

namespace isotherm {
namespace {

Descriptor open_on_each_rank(std::filesystem::path const& path) {
  require(std::filesystem::exists(path),
          path.string() + ", which the root made, is not there: all ranks must see the same files");
  return open_file(path, O_WRONLY | O_NOFOLLOW);
}

/// Calls work(box) for boxes that together are `share`, each of which lies in one piece in a file
/// of `points` points and has at most `most` points, where one row has no more.
template <class Work>
void for_each_piece(GlobalBox share, Extent3 points, std::int64_t most, Work&& work) {
  Extent3 const n = share.extent();
  Extent3 step{n.x, 1, 1};
  if (n.x == points.x) {
    step.y = std::clamp<std::int64_t>(most / n.x, 1, n.y);
  }
  if (n.x == points.x && step.y == points.y) {
    step.z = std::clamp<std::int64_t>(most / (n.x * n.y), 1, n.z);
  }
  for (std::int64_t k = share.lower.z; k < share.upper.z; k += step.z) {
    for (std::int64_t j = share.lower.y; j < share.upper.y; j += step.y) {
      Index3 const at{share.lower.x, j, k};
      work(intersection(share, GlobalBox{at, at + step}));
    }
  }
}

/// Writes a rank's share to its places in the file, where the first of all values lies at `offset`.
template <class Stored, class Real>
void write_share(StoredValues<Stored, Real> const& values, Descriptor const& file,
                 std::uint64_t offset, std::filesystem::path const& path) {
  constexpr std::int64_t piece_points = (std::int64_t{16} << 20) / sizeof(Stored);
  if (values.share().empty()) {
    return;
  }
  Extent3 const n = values.points();
  std::vector<Stored> buffer;
  for_each_piece(values.share(), n, piece_points, [&](GlobalBox piece) {
    std::int64_t const first = piece.lower.x + n.x * (piece.lower.y + n.y * piece.lower.z);
    write_at(file, offset + sizeof(Stored) * static_cast<std::uint64_t>(first),
             values.values(piece, buffer),
             sizeof(Stored) * static_cast<std::size_t>(piece.point_count()), path);
  });
}

template <class Chunk>
std::vector<PackedChunk> packed(std::vector<Chunk> const& chunks, int level) {
  std::vector<PackedChunk> results(chunks.size());
  bool failed = false;
#pragma omp parallel for schedule(dynamic) reduction(|| : failed)
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    auto const& values = chunks[i].values;
    try {
      results[i] = pack_chunk(
          {reinterpret_cast<char const*>(values.data()), values.size() * sizeof values.front()},
          sizeof values.front(), level);
    } catch (std::exception const&) {  // nothing may leave the parallel loop
      failed = true;
    }
  }
  require(!failed, "values cannot be compressed (out of memory?)");
  return results;
}

/// What the root has to know about a chunk to find a place for it.
struct ChunkSize {
  std::uint64_t bytes;
  std::uint64_t filters_left_out;
};

template <class T>
mpi::Bytes to_bytes(std::vector<T> const& values) {
  auto const* const begin = reinterpret_cast<char const*>(values.data());
  return {begin, begin + values.size() * sizeof(T)};
}

template <class T>
std::vector<T> from_bytes(mpi::Bytes const& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  }
  return values;
}

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

mpi::Bytes sizes_of(std::vector<PackedChunk> const& chunks) {
  std::vector<ChunkSize> sizes;
  sizes.reserve(chunks.size());
  for (PackedChunk const& chunk : chunks) {
    sizes.push_back({chunk.bytes.size(), chunk.left_out});
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
    description_ = std::make_unique<SnapshotDescription>(info);
    (void)create_new_file(path);
  });
  together(ranks, [&] { file_ = open_on_each_rank(path); });
}

template <class Stored, class Real>
void SnapshotFileWriter::write(std::string const& field, StoredValues<Stored, Real> const& values) {
  if (deflate_level_ > 0) {
    write_compressed(field, values);
  } else {
    write_plain(field, values);
  }
}

template <class Stored, class Real>
void SnapshotFileWriter::write_plain(std::string const& field,
                                     StoredValues<Stored, Real> const& values) {
  std::uint64_t place = 0;
  std::optional<Stopwatch> watch(times_.open_s);
  on_root(ranks_, [&] {
    place = description_->add_field<Stored>(field, values.points());
    reserve_space(path_, description_->image().bytes());  // better now than in the middle
  });
  place = ranks_.broadcast(place);
  watch.emplace(times_.write_s);
  together(ranks_, [&] { write_share(values, file_, place, path_); });
}

// Each rank packs the chunks that begin in its share, the root finds places for all that are
// packed, and each rank writes its own there.
template <class Stored, class Real>
void SnapshotFileWriter::write_compressed(std::string const& field,
                                          StoredValues<Stored, Real> const& values) {
  ChunkGrid const grid(values.points(), chunk_extent(values.points()));
  auto const chunk_bytes = sizeof(Stored) * static_cast<std::size_t>(grid.points_in_chunk());
  ChunkExchange<Stored, Real> const exchange(
      ranks_, values, grid,
      static_cast<std::int64_t>(std::max<std::size_t>(1, round_bytes_ / chunk_bytes)));
  on_root(ranks_, [&] {
    description_->add_compressed_field<Stored>(field, values.points(), deflate_level_);
  });
  for (std::int64_t round = 0; round < exchange.rounds(); ++round) {
    std::optional<Stopwatch> watch(times_.pack_s);
    auto const chunks = exchange.take(round);
    std::vector<PackedChunk> mine;
    together(ranks_, [&] { mine = packed(chunks, deflate_level_); });
    watch.emplace(times_.write_s);
    auto const places = find_places(mine, [&](int rank) { return exchange.firsts(rank, round); });
    together(ranks_, [&] {
      for (std::size_t i = 0; i < mine.size(); ++i) {
        write_at(file_, places[i], mine[i].bytes.data(), mine[i].bytes.size(), path_);
      }
    });
  }
}

std::vector<std::uint64_t> SnapshotFileWriter::find_places(
    std::vector<PackedChunk> const& mine,
    std::function<std::vector<Index3>(int rank)> const& firsts_of) {
  std::vector<mpi::Bytes> to_root(static_cast<std::size_t>(ranks_.size()));
  to_root.front() = sizes_of(mine);
  std::vector<mpi::Bytes> const sizes = ranks_.exchange(to_root);
  std::vector<mpi::Bytes> places(sizes.size());
  on_root(ranks_, [&] {
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      places[rank] = to_bytes(places_of(from_bytes<ChunkSize>(sizes[rank]),
                                        firsts_of(static_cast<int>(rank)), *description_));
    }
  });
  return from_bytes<std::uint64_t>(ranks_.exchange(places).front());
}

void SnapshotFileWriter::close() {
  std::optional<Stopwatch> watch(times_.sync_s);
  together(ranks_, [&] { sync(file_, path_); });
  watch.emplace(times_.close_s);
  on_root(ranks_, [&] { write_description(); });
  together(ranks_, [&] { sync_and_close(std::move(file_), path_); });
}

void SnapshotFileWriter::write_description() {
  description_->close();
  hdf5::FileImage const& image = description_->image();
  if (::ftruncate(file_.get(), static_cast<off_t>(image.bytes())) != 0) {
    fail_on("set the length of", path_);
  }
  image.for_each_part([&](std::uint64_t offset, char const* from, std::size_t bytes) {
    write_at(file_, offset, from, bytes, path_);
  });
}

template void SnapshotFileWriter::write(std::string const&, StoredValues<float, float> const&);
template void SnapshotFileWriter::write(std::string const&, StoredValues<float, double> const&);
template void SnapshotFileWriter::write(std::string const&, StoredValues<double, double> const&);

}  // namespace isotherm
