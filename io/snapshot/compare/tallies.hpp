#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/checks/checked_field.hpp"
#include "io/snapshot/datasets/slabs.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {

// Tallies: sums over all values of a file that have the same bits on any number of ranks and
// threads.
//
// Floating-point addition is not associative. So the values are divided into pieces and slabs that
// depend on the files only. Each slab is tallied separately, and the tallies are added in a fixed
// order.
//
// A tally is a trivially copyable struct of 8-byte numbers with a member add(tally). A default
// tally, and one whose bits are all zero, must be neutral.
//
//   std::vector<GlobalBox> const all = pieces(points, tallied_piece_values);
//   std::vector<Tally> tallies(all.size());  // filled for own_pieces() only
//   Tally const sum = tally_of_all(ranks, tallies);

/// Number of values that a rank reads at a time (16 MiB of float64).
inline constexpr std::int64_t tallied_piece_values = std::int64_t{1} << 21;
/// Number of values that a thread tallies at a time (256 KiB of float64).
inline constexpr std::int64_t tallied_slab_values = std::int64_t{1} << 15;

/// Returns the tally of `box`, computed by all threads. @param tally_of  (slab) -> Tally
template <class Tally, class Work>
Tally tally_on_threads(GlobalBox box, Work const& tally_of) {
  std::vector<GlobalBox> const parts = slabs(box, tallied_slab_values);
  std::vector<Tally> tallies(parts.size());
  on_threads(static_cast<std::int64_t>(parts.size()), 0, [&](std::int64_t i) {
    tallies[static_cast<std::size_t>(i)] = tally_of(parts[static_cast<std::size_t>(i)]);
  });
  Tally all;
  // In the order of the slabs, on one thread: the order determines the rounding.
  for (Tally const& tally : tallies) all.add(tally);
  return all;
}

/// Returns the sum of the tallies of all pieces, in the order of the pieces. Each rank contributes
/// those of own_pieces(). Collective.
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
  // The sum of integers is used as a gather: for each word at most one rank contributes bits other
  // than 0.
  words = ranks.sum(std::move(words));
  Tally all;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    Words one{};
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i * one.size()), one.size(),
                one.begin());
    all.add(std::bit_cast<Tally>(one));
  }
  return all;
}

/// Returns the point with the number x + nx (y + ny z).
inline Index3 point_of(std::int64_t number, Extent3 points) {
  return {number % points.x, number / points.x % points.y, number / (points.x * points.y)};
}
/// Returns the number x + nx (y + ny z) of a point.
inline std::int64_t number_of(Index3 at, Extent3 points) {
  return at.x + points.x * (at.y + points.y * at.z);
}

/// A view of the values at a box's points, dense, x fastest.
template <class Value>
struct DenseValues {
  GlobalBox box;
  Value const* values;

  /// Returns the address of a point's value. @pre the box contains the point
  [[nodiscard]] Value const* at(Index3 point) const {
    return values + number_of(point - box.lower, box.extent());
  }
};

/// Calls work(first point, number of points) for each row of a box, in the order of memory.
template <class Work>
void for_each_row(GlobalBox box, Work const& work) {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      work(Index3{box.lower.x, j, k}, box.upper.x - box.lower.x);
    }
  }
}

}  // namespace isotherm
