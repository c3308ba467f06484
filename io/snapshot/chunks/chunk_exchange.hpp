#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/chunks/chunk_grid.hpp"
#include "io/snapshot/datasets/stored_values.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {

/// Assembles complete chunks from the shares of the ranks. Each chunk goes to the rank that owns
/// its first point; other ranks send it their parts of the chunk.
///
/// A filter compresses whole chunks, but shares end anywhere in a chunk. So before compression each
/// chunk must be on one rank. The exchange is divided into rounds, which bounds the memory.
///
///   ChunkExchange<float, double> const exchange(ranks, values, grid, per_round);
///   for (std::int64_t round = 0; round < exchange.rounds(); ++round) {
///     auto const chunks = exchange.take(round);  // collective
///   }
template <class Stored, class Real>
class ChunkExchange {
 public:
  /// A complete chunk.
  struct Chunk {
    Index3 index{};                ///< the chunk's index in the grid of chunks
    std::vector<Stored> values{};  ///< dense, x fastest; 0 beyond the last points
  };

  /// @param values, ranks  must outlive this object
  /// @param per_round      maximum number of chunks for a rank in a round
  /// Collective.
  ChunkExchange(mpi::Communicator const& ranks, StoredValues<Stored, Real> const& values,
                ChunkGrid const& chunks, std::int64_t per_round)
      : ranks_(ranks),
        values_(values),
        chunks_(chunks),
        per_round_(per_round),
        shares_(all_shares(ranks, values.share())) {
    for (GlobalBox const& share : shares_) {
      // Every rank computes the maximum over all ranks, so exchanges match.
      rounds_ = std::max(rounds_,
                         (chunks_.beginning_in(share).point_count() + per_round - 1) / per_round);
    }
  }

  /// Returns the number of rounds, which is the same on every rank. Ranks without chunks take part
  /// in all rounds.
  [[nodiscard]] std::int64_t rounds() const { return rounds_; }

  /// Returns the first points of the chunks that a rank gets in a round.
  [[nodiscard]] std::vector<Index3> firsts(int rank, std::int64_t round) const {
    std::vector<Index3> points = chunks_of(rank, round);
    for (Index3& index : points) {
      index = chunks_.box(index).lower;
    }
    return points;
  }

  /// Returns this rank's chunks of a round. Uses all threads. Collective.
  [[nodiscard]] std::vector<Chunk> take(std::int64_t round) const {
    // 1. Packs this rank's parts of the chunks that other ranks get, one message per rank.
    std::vector<mpi::Bytes> outgoing(shares_.size());
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      // This rank's own values need no message.
      if (rank == ranks_.rank()) continue;
      outgoing[static_cast<std::size_t>(rank)] = parts_for(chunks_of(rank, round));
    }
    // 2. Exchanges the messages, and locates each chunk's part in each of them.
    std::vector<mpi::Bytes> const incoming =
        ranks_.size() > 1 ? ranks_.exchange(outgoing) : std::move(outgoing);
    std::vector<Index3> const indices = chunks_of(ranks_.rank(), round);
    std::vector<std::vector<std::size_t>> const places = places_in(incoming, indices);
    // 3. Assembles this rank's chunks on all threads.
    std::vector<Chunk> mine(indices.size());
    on_threads(static_cast<std::int64_t>(indices.size()), 0, [&](std::int64_t n) {
      auto const i = static_cast<std::size_t>(n);
      Chunk& chunk = mine[i];
      // Chunks at the ends of the grid are padded with zeros, as HDF5 stores whole chunks.
      chunk = {indices[i], std::vector<Stored>(points_in_chunk(), Stored{})};
      // The parts are disjoint, so they are copied in any order.
      for (std::size_t rank = 0; rank < incoming.size(); ++rank) {
        put(part_of(rank, indices[i]), incoming[rank].data() + places[rank][i], chunk);
      }
      put_own(chunk);
    });
    return mine;
  }

 private:
  /// Returns the indices of the chunks that a rank gets in a round.
  [[nodiscard]] std::vector<Index3> chunks_of(int rank, std::int64_t round) const {
    GlobalBox const all = chunks_.beginning_in(shares_[static_cast<std::size_t>(rank)]);
    std::int64_t const end = std::min(all.point_count(), (round + 1) * per_round_);
    std::vector<Index3> indices;
    for (std::int64_t n = round * per_round_; n < end; ++n) {
      indices.push_back(nth_index(all, n));
    }
    return indices;
  }

  /// Returns the shares of all ranks. Collective.
  static std::vector<GlobalBox> all_shares(mpi::Communicator const& ranks, GlobalBox mine) {
    auto const* const begin = reinterpret_cast<char const*>(&mine);
    mpi::Bytes const bytes(begin, begin + sizeof mine);
    std::vector<GlobalBox> shares;
    for (mpi::Bytes const& from :
         ranks.exchange(std::vector(static_cast<std::size_t>(ranks.size()), bytes))) {
      std::memcpy(&shares.emplace_back(), from.data(), sizeof(GlobalBox));
    }
    return shares;
  }

  [[nodiscard]] std::size_t points_in_chunk() const {
    return static_cast<std::size_t>(chunks_.points_in_chunk());
  }
  /// Returns the part of a chunk that another rank sends; empty for this rank itself.
  [[nodiscard]] GlobalBox part_of(std::size_t rank, Index3 index) const {
    bool const own = static_cast<int>(rank) == ranks_.rank();
    return own ? GlobalBox{} : intersection(chunks_.box(index), shares_[rank]);
  }
  /// Returns the bytes of a part in a message.
  static std::size_t bytes_of(GlobalBox part) {
    return part.empty() ? 0 : static_cast<std::size_t>(part.point_count()) * sizeof(Stored);
  }

  /// Returns the offset of each chunk's part in the message of each rank: places[rank][chunk]. A
  /// message contains the parts one after another, in the order of `indices`.
  [[nodiscard]] std::vector<std::vector<std::size_t>> places_in(
      std::vector<mpi::Bytes> const& incoming, std::vector<Index3> const& indices) const {
    std::vector<std::vector<std::size_t>> places(incoming.size());
    for (std::size_t rank = 0; rank < incoming.size(); ++rank) {
      std::size_t at = 0;
      for (Index3 const index : indices) {
        places[rank].push_back(at);
        at += bytes_of(part_of(rank, index));
      }
    }
    return places;
  }

  /// Packs this rank's parts of some chunks, one after another. The offsets are computed first, so
  /// all threads can pack.
  [[nodiscard]] mpi::Bytes parts_for(std::vector<Index3> const& indices) const {
    std::vector<GlobalBox> parts;
    std::vector<std::size_t> places;
    std::size_t all = 0;
    for (Index3 const index : indices) {
      parts.push_back(intersection(chunks_.box(index), values_.share()));
      places.push_back(all);
      all += bytes_of(parts.back());
    }
    mpi::Bytes bytes(all);
    on_threads(static_cast<std::int64_t>(parts.size()), 0, [&](std::int64_t n) {
      auto const i = static_cast<std::size_t>(n);
      if (parts[i].empty()) return;
      std::vector<Stored> buffer;
      std::memcpy(bytes.data() + places[i], values_.values(parts[i], buffer), bytes_of(parts[i]));
    });
    return bytes;
  }

  /// Copies this rank's own part into a chunk.
  void put_own(Chunk& chunk) const {
    GlobalBox const part = intersection(chunks_.box(chunk.index), values_.share());
    if (part.empty()) return;
    std::vector<Stored> buffer;
    put(part, reinterpret_cast<char const*>(values_.values(part, buffer)), chunk);
  }

  /// Copies the dense values of `part` into a chunk, row by row.
  void put(GlobalBox part, char const* from, Chunk& chunk) const {
    if (part.empty()) {
      return;
    }
    Extent3 const n = chunks_.chunk();
    Index3 const first = chunks_.box(chunk.index).lower;
    std::size_t const row_bytes =
        static_cast<std::size_t>(part.upper.x - part.lower.x) * sizeof(Stored);
    for (std::int64_t k = part.lower.z; k < part.upper.z; ++k) {
      for (std::int64_t j = part.lower.y; j < part.upper.y; ++j) {
        Index3 const at = Index3{part.lower.x, j, k} - first;
        std::memcpy(chunk.values.data() + at.x + n.x * (at.y + n.y * at.z), from, row_bytes);
        from += row_bytes;
      }
    }
  }

  mpi::Communicator const& ranks_;
  StoredValues<Stored, Real> const& values_;
  ChunkGrid chunks_;
  std::int64_t per_round_;         ///< maximum number of chunks for a rank
  std::vector<GlobalBox> shares_;  ///< of all ranks
  std::int64_t rounds_ = 0;
};

}  // namespace isotherm
