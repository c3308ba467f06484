#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/chunk_grid.hpp"
#include "io/snapshot/stored_values.hpp"

namespace isotherm {

/// Gives each rank, in rounds, the complete chunks whose first point it owns. Other ranks send it
/// their part of these chunks.
template <class Stored, class Real>
class ChunkExchange {
 public:
  struct Chunk {
    Index3 index{};                ///< its place among the chunks
    std::vector<Stored> values{};  ///< all of it, x fastest; 0 beyond the last points
  };

  /// @param values, ranks  must outlive this object
  /// @param per_round      chunks that a rank gets at most in a round
  /// Collective.
  ChunkExchange(mpi::Communicator const& ranks, StoredValues<Stored, Real> const& values,
                ChunkGrid const& chunks, std::int64_t per_round)
      : ranks_(ranks),
        values_(values),
        chunks_(chunks),
        per_round_(per_round),
        shares_(all_shares(ranks, values.share())) {
    for (GlobalBox const& share : shares_) {
      rounds_ = std::max(rounds_,
                         (chunks_.beginning_in(share).point_count() + per_round - 1) / per_round);
    }
  }

  /// The same on every rank.
  [[nodiscard]] std::int64_t rounds() const { return rounds_; }

  /// The first points of the chunks that a rank gets in a round.
  [[nodiscard]] std::vector<Index3> firsts(int rank, std::int64_t round) const {
    std::vector<Index3> points = chunks_of(rank, round);
    for (Index3& index : points) {
      index = chunks_.box(index).lower;
    }
    return points;
  }

  /// This rank's chunks of a round. Collective.
  [[nodiscard]] std::vector<Chunk> take(std::int64_t round) const {
    std::vector<mpi::Bytes> outgoing;
    outgoing.reserve(shares_.size());
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      outgoing.push_back(parts_for(chunks_of(rank, round)));
    }
    std::vector<mpi::Bytes> const incoming = ranks_.exchange(outgoing);
    std::vector<Chunk> mine;
    std::vector<std::size_t> taken(incoming.size(), 0);
    for (Index3 const index : chunks_of(ranks_.rank(), round)) {
      auto const points = static_cast<std::size_t>(chunks_.points_in_chunk());
      mine.push_back({index, std::vector<Stored>(points, Stored{})});
      for (std::size_t rank = 0; rank < incoming.size(); ++rank) {
        GlobalBox const part = intersection(chunks_.box(index), shares_[rank]);
        taken[rank] += put(part, incoming[rank].data() + taken[rank], mine.back());
      }
    }
    return mine;
  }

 private:
  /// The places of the chunks that a rank gets in a round.
  [[nodiscard]] std::vector<Index3> chunks_of(int rank, std::int64_t round) const {
    GlobalBox const all = chunks_.beginning_in(shares_[static_cast<std::size_t>(rank)]);
    std::int64_t const end = std::min(all.point_count(), (round + 1) * per_round_);
    std::vector<Index3> indices;
    for (std::int64_t n = round * per_round_; n < end; ++n) {
      indices.push_back(nth_index(all, n));
    }
    return indices;
  }

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

  /// What this rank has of some chunks, one after the other.
  [[nodiscard]] mpi::Bytes parts_for(std::vector<Index3> const& indices) const {
    mpi::Bytes bytes;
    std::vector<Stored> buffer;
    for (Index3 const index : indices) {
      GlobalBox const part = intersection(chunks_.box(index), values_.share());
      if (!part.empty()) {
        auto const* const from = reinterpret_cast<char const*>(values_.values(part, buffer));
        bytes.insert(bytes.end(), from,
                     from + static_cast<std::size_t>(part.point_count()) * sizeof(Stored));
      }
    }
    return bytes;
  }

  /// Puts the dense values of `part` into a chunk; returns how many bytes there were.
  std::size_t put(GlobalBox part, char const* from, Chunk& chunk) const {
    if (part.empty()) {
      return 0;
    }
    Extent3 const n = chunks_.chunk();
    Index3 const first = chunks_.box(chunk.index).lower;
    std::size_t const row_bytes =
        static_cast<std::size_t>(part.upper.x - part.lower.x) * sizeof(Stored);
    std::size_t taken = 0;
    for (std::int64_t k = part.lower.z; k < part.upper.z; ++k) {
      for (std::int64_t j = part.lower.y; j < part.upper.y; ++j) {
        Index3 const at = Index3{part.lower.x, j, k} - first;
        std::memcpy(chunk.values.data() + at.x + n.x * (at.y + n.y * at.z), from + taken,
                    row_bytes);
        taken += row_bytes;
      }
    }
    return taken;
  }

  mpi::Communicator const& ranks_;
  StoredValues<Stored, Real> const& values_;
  ChunkGrid chunks_;
  std::int64_t per_round_;
  std::vector<GlobalBox> shares_;
  std::int64_t rounds_ = 0;
};

}  // namespace isotherm
