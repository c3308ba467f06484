#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "solver/problem/solid.hpp"

namespace isotherm {

/// What is known about a region in a box: that all places are inside, or outside, or neither.
enum class Certainty : std::uint8_t { unknown, outside, inside };

/// A division of the grid's box into equal blocks, each with what is known about a region in it.
///
/// A region that is an expression is expensive to evaluate. Most places lie in blocks that are
/// certain, so the expression is evaluated near its surface only.
class RegionBlocks {
 public:
  /// Returns what is known in a box of coordinates; may be called from several threads at once.
  using Classify = std::function<Certainty(PerAxis<Interval> const& box)>;

  RegionBlocks(Grid const& grid, Classify classify);

  /// Returns what is known at a place; nothing beyond the grid.
  [[nodiscard]] Certainty at(double x, double y, double z) const;
  /// Returns what is known in a box; nothing if it extends beyond the grid.
  [[nodiscard]] Certainty in(PerAxis<Interval> const& box) const;
  /// Returns what is known in a box, which may be smaller than a block.
  [[nodiscard]] Certainty within(PerAxis<Interval> const& box) const {
    Certainty const known = in(box);
    return known == Certainty::unknown ? classify_(box) : known;
  }
  /// Returns the part of a box that may hold something else than the rest, which is certain: the
  /// box without slabs at its ends. None if all of it is certain. A slab of less than a quarter of
  /// the box is not removed.
  /// @param rest  inside or outside
  [[nodiscard]] std::optional<PerAxis<Interval>> uncertain_part(PerAxis<Interval> box,
                                                                Certainty rest) const;
  /// False if surfaces fill so much of a grid that is not small, as those of a lattice do, that a
  /// search for thin parts would take long and find little.
  [[nodiscard]] bool are_sparse() const {
    constexpr std::size_t small_grid = 128;  // blocks
    return unknown_share_ <= 0.6 || known_.size() <= small_grid;
  }
  /// True if smaller boxes are worth examining: a half or a quarter of a box along each of its axes
  /// is certain. Bounds of some expressions are too wide to show anything.
  [[nodiscard]] bool are_useful_in(PerAxis<Interval> const& box) const;
  /// Returns the intervals of x, in ascending order, in which nothing is known about a box's places
  /// with these y and z.
  /// @param box  its interval of x is ignored
  [[nodiscard]] std::vector<Interval> unknown_along_x(PerAxis<Interval> box) const;

  /// Calls visit(certainty, middle of the block) for all blocks.
  template <class Visit>
  void for_each(Visit const& visit) const {
    std::size_t number = 0;
    for (std::int64_t k = 0; k < count_.z; ++k) {
      for (std::int64_t j = 0; j < count_.y; ++j) {
        for (std::int64_t i = 0; i < count_.x; ++i) {
          visit(known_[number++], PerAxis<double>{middle(0, i), middle(1, j), middle(2, k)});
        }
      }
    }
  }

 private:
  void remove_certain_end(PerAxis<Interval>& box, int axis, bool upper, Certainty rest) const;
  [[nodiscard]] Interval block(int axis, std::int64_t index) const;
  [[nodiscard]] double middle(int axis, std::int64_t index) const {
    return block(axis, index).middle();
  }
  /// Returns the index of the block at a coordinate; −1 beyond the grid.
  [[nodiscard]] std::int64_t index_of(int axis, double coordinate) const;
  [[nodiscard]] Certainty known(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return known_[static_cast<std::size_t>((k * count_.y + j) * count_.x + i)];
  }

  Classify classify_;
  Extent3 count_{1, 1, 1};
  PerAxis<double> lower_{};
  PerAxis<double> width_{};
  PerAxis<double> per_width_{};  ///< 1 / width; 0 along axes that the grid does not have
  std::vector<Certainty> known_{};
  double unknown_share_ = 1.0;  ///< of the blocks
};

}  // namespace isotherm
