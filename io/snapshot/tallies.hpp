#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/checked_field.hpp"
#include "io/snapshot/slabs.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {

// What values come to, added up so that the sums are the same to the last bit whoever does it: the
// parts that are added, and their order, must depend on nothing but the files. A tally is a struct
// of 8-byte numbers, of nothing where it is zero or as it is made, with add(tally).

/// Values that a rank reads at once.
inline constexpr std::int64_t tallied_piece_values = std::int64_t{1} << 21;
/// Values that a thread looks at.
inline constexpr std::int64_t tallied_slab_values = std::int64_t{1} << 15;

/// Of `box`, on all threads. @param tally_of  (slab) -> Tally
template <class Tally, class Work>
Tally tally_on_threads(GlobalBox box, Work const& tally_of) {
  std::vector<GlobalBox> const parts = slabs(box, tallied_slab_values);
  std::vector<Tally> tallies(parts.size());
  on_threads(static_cast<std::int64_t>(parts.size()), 0, [&](std::int64_t i) {
    tallies[static_cast<std::size_t>(i)] = tally_of(parts[static_cast<std::size_t>(i)]);
  });
  Tally all;
  for (Tally const& tally : tallies) all.add(tally);
  return all;
}

/// The sum of the tallies of all pieces. Each rank contributes those of own_pieces(). Collective.
template <class Tally>
Tally tally_of_all(mpi::Communicator const& ranks, std::vector<Tally> const& mine) {
  static_assert(std::is_trivially_copyable_v<Tally> && sizeof(Tally) % 8 == 0);
  using Words = std::array<std::uint64_t, sizeof(Tally) / 8>;
  std::vector<std::uint64_t> words(mine.size() * Words{}.size());
  PieceRange const own = own_pieces(ranks, mine.size());
  for (std::size_t i = own.begin; i < own.end; ++i) {
    std::ranges::copy(std::bit_cast<Words>(mine[i]),
                      words.begin() + static_cast<std::ptrdiff_t>(i * Words{}.size()));
  }
  words = ranks.sum(std::move(words));  // of each word one is not zero, at most
  Tally all;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    Words one{};
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i * one.size()), one.size(),
                one.begin());
    all.add(std::bit_cast<Tally>(one));
  }
  return all;
}

/// The point with this number, x + nx (y + ny z).
inline Index3 point_of(std::int64_t number, Extent3 points) {
  return {number % points.x, number / points.x % points.y, number / (points.x * points.y)};
}
inline std::int64_t number_of(Index3 at, Extent3 points) {
  return at.x + points.x * (at.y + points.y * at.z);
}

/// The values of a box's points, dense, x fastest.
template <class Value>
struct DenseValues {
  GlobalBox box;
  Value const* values;

  [[nodiscard]] Value const* at(Index3 point) const {
    return values + number_of(point - box.lower, box.extent());
  }
};

/// Calls work(first point, points) for each row of a box.
template <class Work>
void for_each_row(GlobalBox box, Work const& work) {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      work(Index3{box.lower.x, j, k}, box.upper.x - box.lower.x);
    }
  }
}

}  // namespace isotherm
