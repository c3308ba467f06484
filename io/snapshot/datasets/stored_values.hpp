#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "io/snapshot/checks/checksum.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "io/snapshot/datasets/slabs.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {

/// One rank's values in the form in which a file stores them: the points of the cut, as numbers of
/// type Stored.
///
/// All boxes are in the file's coordinates, in which (0, 0, 0) is the first stored point. For
/// vector fields boxes count numbers, several along x for each point (components.hpp). The object
/// is a view: the owned values must outlive it.
///
///   StoredValues<float, double> const rounded(subdomain, cut, owned);
///   std::vector<float> buffer;
///   float const* const dense = rounded.values(rounded.share(), buffer);
template <class Stored, class Real>
class StoredValues {
 public:
  /// @param owned       dense values of subdomain.owned_global(), x fastest
  /// @param components  numbers at each point, adjacent in memory
  StoredValues(Subdomain const& subdomain, GlobalBox cut_points, Real const* owned,
               int components = scalar_components)
      : owned_box_(numbers_of(subdomain.owned_global(), components)),
        cut_(numbers_of(cut_points, components)),
        grid_points_(cut_points.extent()),
        components_(components),
        owned_(owned) {
    GlobalBox const cut = cut_;
    GlobalBox const part = intersection(owned_box_, cut);
    // Shifted, so the first stored point has the index 0 on each axis.
    share_ = part.empty() ? GlobalBox{} : GlobalBox{part.lower - cut.lower, part.upper - cut.lower};
  }

  /// Returns the extent of the stored field, in numbers.
  [[nodiscard]] Extent3 points() const { return cut_.extent(); }
  /// Returns its extent in points of the grid.
  [[nodiscard]] Extent3 grid_points() const { return grid_points_; }
  /// Returns the numbers at each point.
  [[nodiscard]] int components() const { return components_; }
  /// Returns the blocks that have a checksum each.
  [[nodiscard]] BlockGrid blocks() const { return {grid_points_, components_}; }
  /// Returns the numbers that this rank stores; empty if the cut has none of its points.
  [[nodiscard]] GlobalBox share() const { return share_; }

  /// Returns the values of `piece`, a box in share(), as a dense array. Values that are already
  /// dense and of the right type are not copied; others are copied to `buffer`.
  Stored const* values(GlobalBox piece, std::vector<Stored>& buffer) const {
    // Without a conversion, dense values need no copy.
    if constexpr (std::is_same_v<Stored, Real>) {
      if (piece.empty() || lies_dense(piece)) {
        return piece.empty() ? buffer.data() : row(piece.lower.x, piece.lower.y, piece.lower.z);
      }
    }
    buffer.resize(static_cast<std::size_t>(piece.point_count()));
    Stored* to = buffer.data();
    for_each_row(piece, [&](Real const* from, std::int64_t n) {
      to =
          std::transform(from, from + n, to, [](Real value) { return static_cast<Stored>(value); });
    });
    return buffer.data();
  }

  /// Returns the checksums of this rank's values as they are stored. Uses all threads.
  [[nodiscard]] ValuesCheck check() const {
    SharedCheck found{blocks()};
    for_each_slab([&](GlobalBox slab, std::vector<Stored>& buffer) {
      found.add(slab, values(slab, buffer));
    });
    return found.all();
  }

  /// Returns the largest magnitude of this rank's finite values that become infinite as Stored
  /// numbers; 0 if there are none. Uses all threads.
  [[nodiscard]] double largest_out_of_range() const {
    std::atomic<double> largest = 0.0;
    for_each_slab([&](GlobalBox slab, std::vector<Stored>& /*buffer*/) {
      double here = 0.0;
      for_each_row(slab, [&](Real const* from, std::int64_t n) {
        here = std::max(here, largest_out_of_range(from, n));
      });
      // An atomic maximum: C++20 has no fetch_max.
      for (double seen = largest; here > seen && !largest.compare_exchange_weak(seen, here);) {
      }
    });
    return largest;
  }

 private:
  /// Returns the address of a point's value.
  [[nodiscard]] Real const* row(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const at = Index3{i, j, k} + cut_.lower - owned_box_.lower;
    Extent3 const n = owned_box_.extent();
    return owned_ + at.x + n.x * (at.y + n.y * at.z);
  }

  /// Returns true if the values of `piece` are contiguous in memory: whole rows, and whole planes
  /// unless there is only one.
  [[nodiscard]] bool lies_dense(GlobalBox piece) const {
    Extent3 const n = piece.extent();
    Extent3 const all = owned_box_.extent();
    return n.x == all.x && (n.y == all.y || n.z == 1);
  }

  /// Calls work(slab, memory to use) for slabs that together are share(), on all threads.
  template <class Work>
  void for_each_slab(Work const& work) const {
    std::vector<GlobalBox> const all =
        slabs(share_, slab_bytes / static_cast<std::int64_t>(sizeof(Stored)));
    on_threads(static_cast<std::int64_t>(all.size()), 0, [&](std::int64_t i) {
      thread_local std::vector<Stored> buffer;
      work(all[static_cast<std::size_t>(i)], buffer);
    });
  }

  /// Returns the largest out-of-range magnitude of some values.
  static double largest_out_of_range(Real const* values, std::int64_t count) {
    double largest = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!std::isfinite(values[i]) || std::isfinite(static_cast<Stored>(values[i]))) continue;
      largest = std::max(largest, std::abs(static_cast<double>(values[i])));
    }
    return largest;
  }

  /// Calls work(address of the values, number of values) for each row of `box`.
  template <class Work>
  void for_each_row(GlobalBox box, Work&& work) const {
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        work(row(box.lower.x, j, k), box.upper.x - box.lower.x);
      }
    }
  }

  GlobalBox owned_box_;  ///< in the grid's numbers
  GlobalBox cut_;        ///< in the grid's numbers
  Extent3 grid_points_;
  int components_;
  GlobalBox share_{};  ///< in the file's numbers
  Real const* owned_;
};

}  // namespace isotherm
